/** The characters of Han numbers, with 点 and 半 of "三点五" (3.5) and "五点半" (5:30). */
const HAN = "\\p{N}零〇一二三四五六七八九十百千万萬亿億兆两兩俩廿卅点點半";
const HAN_END = new RegExp(`[${HAN}]$`, "u");
const HAN_START = new RegExp(`^[${HAN}]`, "u");

/** Numerals of the other scripts that are written without spaces: Thai, Lao, Khmer, Burmese. */
const WORDS = `
  ศูนย์ หนึ่ง เอ็ด สอง ยี่ สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน ล้าน จุด ครึ่ง
  ສູນ ໜຶ່ງ ນຶ່ງ ຫນຶ່ງ ເອັດ ສອງ ສາມ ສີ່ ຫ້າ ຫົກ ເຈັດ ແປດ ເກົ້າ ສິບ ຊາວ ຮ້ອຍ ພັນ ໝື່ນ ຫມື່ນ ແສນ ລ້ານ
  សូន្យ មួយ ពីរ បី បួន ប្រាំ ដប់ ម្ភៃ សាមសិប សែសិប ហាសិប ហុកសិប ចិតសិប ប៉ែតសិប កៅសិប រយ ពាន់ ម៉ឺន សែន លាន
  သုည တစ် နှစ် သုံး လေး ငါး ခြောက် ခုနစ် ခုနှစ် ရှစ် ကိုး ဆယ် ဆယ့် ရာ ရာ့ ထောင် ထောင့် သောင်း သိန်း သန်း`;
const NUMBER = new RegExp(`^(?:\\p{N}|${WORDS.trim().split(/\s+/).join("|")})+$`, "u");

/** Whether two neighbouring words of a script without spaces, as segmented by Intl.Segmenter, are parts of one number: "三百", "五十". */
export const isOneNumber = (word: string, next: string): boolean =>
  (HAN_END.test(word) && HAN_START.test(next)) || (NUMBER.test(word) && NUMBER.test(next));
