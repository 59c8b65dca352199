import { seededRandom } from "../../../src/core/seeded-random.ts";

/** A text, and how many tokens OpenAI's o200k_base makes of it: counted once, with the npm package gpt-tokenizer 4. */
export interface TokenizedText {
  name: string;
  text: string;
  tokens: number;
}

export const PROSE: readonly TokenizedText[] = [
  {
    name: "English",
    text: "Good morning, this is the Elm Street Bakery, how can I help you? We are open from seven in the morning until six in the evening, and on Sundays we close at noon. If you would like to order a cake for a birthday, please tell me how",
    tokens: 54,
  },
  {
    name: "German",
    text: "Guten Morgen, hier ist die Bäckerei in der Ulmenstraße, wie kann ich Ihnen helfen? Wir haben von sieben Uhr morgens bis achtzehn Uhr geöffnet, sonntags schließen wir schon am Mittag. Wenn Sie eine Geburtstagstorte bestellen",
    tokens: 51,
  },
  {
    name: "French",
    text: "Bonjour, ici la boulangerie de la rue des Ormes, comment puis-je vous aider ? Nous sommes ouverts de sept heures du matin à dix-huit heures, et le dimanche nous fermons à midi. Si vous souhaitez commander un gâteau d'anniversaire,",
    tokens: 53,
  },
  {
    name: "Spanish",
    text: "Buenos días, le atiende la panadería de la calle de los Olmos, ¿en qué puedo ayudarle? Abrimos desde las siete de la mañana hasta las seis de la tarde, y los domingos cerramos al mediodía. Si desea encargar una tarta de",
    tokens: 57,
  },
  {
    name: "Polish",
    text: "Dzień dobry, tu piekarnia przy ulicy Wiązowej, w czym mogę pomóc? Jesteśmy otwarci od siódmej rano do osiemnastej, a w niedziele zamykamy w południe. Jeśli chcą państwo zamówić tort urodzinowy, proszę powiedzieć, ile osób",
    tokens: 79,
  },
  {
    name: "Finnish",
    text: "Hyvää huomenta, täällä Jalavakadun leipomo, kuinka voin auttaa? Olemme avoinna aamuseitsemästä iltakuuteen, ja sunnuntaisin suljemme puoliltapäivin. Jos haluatte tilata syntymäpäiväkakun, kertokaa, kuinka monta vierasta on tulossa",
    tokens: 72,
  },
  {
    name: "Turkish",
    text: "Günaydın, burası Karaağaç Sokağı fırını, size nasıl yardımcı olabilirim? Sabah yediden akşam altıya kadar açığız, pazar günleri öğlen kapatıyoruz. Doğum günü pastası sipariş etmek isterseniz lütfen kaç kişinin geleceğini ve",
    tokens: 68,
  },
  {
    name: "Russian",
    text: "Доброе утро, это пекарня на улице Вязов, чем я могу вам помочь? Мы работаем с семи утра до шести вечера, а по воскресеньям закрываемся в полдень. Если вы хотите заказать торт на день рождения, скажите, пожалуйста, сколько будет",
    tokens: 66,
  },
  {
    name: "Greek",
    text: "Καλημέρα σας, εδώ ο φούρνος της οδού Φτελιάς, πώς μπορώ να σας βοηθήσω; Είμαστε ανοιχτά από τις επτά το πρωί έως τις έξι το απόγευμα και τις Κυριακές κλείνουμε το μεσημέρι. Αν θέλετε να παραγγείλετε τούρτα γενεθλίων, πείτε μου",
    tokens: 93,
  },
  {
    name: "Arabic",
    text: "صباح الخير، معكم مخبز شارع الدردار، كيف يمكنني مساعدتكم؟ نفتح من الساعة السابعة صباحًا حتى السادسة مساءً، ونغلق ظهرًا أيام الأحد. إذا كنتم ترغبون في طلب كعكة عيد ميلاد، فأخبروني من فضلكم كم شخصًا سيحضر وهل يعاني أحد من حساسية تجاه",
    tokens: 77,
  },
  {
    name: "Chinese",
    text: "早上好，这里是榆树街面包店，请问有什么可以帮您？我们从早上七点营业到晚上六点，星期天中午就关门。如果您想订生日蛋糕，请告诉我有多少位客人，以及有没有人对坚果或牛奶过敏。我们也可以在市内送货，只收取少量费用。您和医生的预约因为急诊改到了星期四下午，请带上您的保险卡和正在服用的药品清单。",
    tokens: 110,
  },
  {
    name: "Japanese",
    text: "おはようございます。エルム通りのパン屋でございます。どのようなご用件でしょうか。営業時間は朝七時から夕方六時までで、日曜日は正午に閉店いたします。お誕生日ケーキをご注文の場合は、何名様でお召し上がりになるか、ナッツや牛乳のアレルギーをお持ちの方がいらっしゃるかをお知らせください。市内であれば少額の料金で配達もいたします。",
    tokens: 121,
  },
  {
    name: "Korean",
    text: "안녕하세요, 느릅나무 거리 빵집입니다. 무엇을 도와드릴까요? 저희는 아침 일곱 시부터 저녁 여섯 시까지 영업하고, 일요일에는 정오에 문을 닫습니다. 생일 케이크를 주문하시려면 몇 분이 오시는지, 견과류나 우유에 알레르기가 있는 분이 계신지 말씀해 주세요. 적은 비용으로 시내 배달도 해 드립니다.",
    tokens: 106,
  },
];

/** Scripts of which models differ most: other tokenizers make two to five times as many tokens of them. */
export const RARER_SCRIPTS: readonly TokenizedText[] = [
  {
    name: "Hindi",
    text: "सुप्रभात, यह एल्म स्ट्रीट की बेकरी है, मैं आपकी क्या सहायता कर सकता हूँ? हम सुबह सात बजे से शाम छह बजे तक खुले रहते हैं, और रविवार को दोपहर में बंद हो जाते हैं। यदि आप",
    tokens: 53,
  },
  {
    name: "Bengali",
    text: "সুপ্রভাত, এটি এলম স্ট্রিটের বেকারি, আমি আপনাকে কীভাবে সাহায্য করতে পারি? আমরা সকাল সাতটা থেকে সন্ধ্যা ছয়টা পর্যন্ত খোলা থাকি, আর রবিবার দুপুরে বন্ধ করি। আপনি যদি",
    tokens: 54,
  },
  {
    name: "Tamil",
    text: "காலை வணக்கம், இது எல்ம் தெரு பேக்கரி, நான் உங்களுக்கு எப்படி உதவலாம்? நாங்கள் காலை ஏழு மணி முதல் மாலை ஆறு மணி வரை திறந்திருக்கிறோம், ஞாயிற்றுக்கிழமைகளில் நண்பகலில்",
    tokens: 59,
  },
  {
    name: "Thai",
    text: "สวัสดีตอนเช้าค่ะ ที่นี่ร้านเบเกอรี่ถนนเอล์ม มีอะไรให้ช่วยไหมคะ เราเปิดตั้งแต่เจ็ดโมงเช้าถึงหกโมงเย็น และวันอาทิตย์ปิดตอนเที่ยง หากต้องการสั่งเค้กวันเกิด",
    tokens: 67,
  },
  {
    name: "Georgian",
    text: "დილა მშვიდობისა, ეს არის თელის ქუჩის საცხობი, რით შემიძლია დაგეხმაროთ? ჩვენ ღია ვართ დილის შვიდი საათიდან საღამოს ექვს საათამდე, ხოლო კვირაობით შუადღისას ვკეტავთ.",
    tokens: 58,
  },
];

export const CODE: readonly TokenizedText[] = [
  {
    name: "TypeScript",
    text: "export function total(prices: readonly number[]): number {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return Math.round(sum * 100) / 100;\n}\n",
    tokens: 44,
  },
  {
    name: "JSON",
    text: '{"orders":[{"id":"ord_48213","customer":"Anna Smith","price":17.5,"createdAt":"2026-11-22T08:30:00Z","isPaid":true},{"id":"ord_48214","customer":"Jonas Weber","price":104.99,"createdAt":"2026-11-22T09:05:00Z","isPaid":false}]}',
    tokens: 86,
  },
];

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String.fromCodePoint(from + index));

/** A consonant and a vowel; every third ends a word. */
const SYLLABLES = [..."bcdfghjklmnpqrstvwxyz"]
  .flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel))
  .flatMap((syllable) => [syllable, syllable, `${syllable} `]);

/** As much as a client may type every second without being a flood. */
const HOSTILE_BYTES = 16_000;

function hostile(name: string, alphabet: readonly string[], tokens: number): TokenizedText {
  const random = seededRandom(1);
  let text = "";
  for (let bytes = 0; bytes < HOSTILE_BYTES; ) {
    const next = alphabet[Math.floor(random() * alphabet.length)] ?? "";
    text += next;
    bytes += Buffer.byteLength(next);
  }
  return { name, text, tokens };
}

/** Texts that tokenize badly. */
export const HOSTILE: readonly TokenizedText[] = [
  hostile("random letters", [..."abcdefghijklmnopqrstuvwxyzQZ"], 8872),
  hostile("random syllables", SYLLABLES, 5920),
  hostile("random base64", [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"], 11003),
  hostile("random Cyrillic letters", range(0x430, 0x450), 5872),
  hostile("random Chinese characters", range(0x4e00, 0xa000), 10213),
  hostile("random Yi characters", range(0xa000, 0xa48d), 15919),
  hostile("random emoji", range(0x1f600, 0x1f650), 7486),
];
