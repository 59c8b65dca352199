import type { Phrases } from "./names.ts";

/** The phrases of one language and their source. */
export interface BuiltInPhrases {
  /** Who wrote and who checked them, and the form of address. Change it together with the texts. */
  source: string;
  phrases: Phrases;
}

/** No native speaker has checked these phrases. When one does, write who it was and when. */
export const unchecked = (form = ""): string =>
  `written for this project, not checked by a speaker${form === "" ? "" : `; ${form}`}`;

/**
 * The built-in service phrases by language tag: a language, with a region or a script where the writing differs. Corrections are
 * welcome: change the texts, and name the checker in `source`. docs/languages.md lists the phrases; a test compares both.
 */
export const BUILT_IN_PHRASES: Readonly<Record<string, BuiltInPhrases>> & { readonly en: BuiltInPhrases } = {
  en: {
    source: "written for this project",
    phrases: {
      inactivity: "Are you still there?",
      apology: "I am sorry, could you say that again?",
      filler: "One moment, please.",
      goodbye: "We have to end this call now. Goodbye.",
      limit: "I cannot answer that right now.",
    },
  },
  ar: {
    source: unchecked("Modern Standard Arabic"),
    phrases: {
      inactivity: "هل ما زلت معي؟",
      apology: "عذرًا، هل يمكنك إعادة ما قلته؟",
      filler: "لحظة من فضلك.",
      goodbye: "علينا إنهاء هذه المكالمة الآن. مع السلامة.",
      limit: "لا يمكنني الإجابة على ذلك الآن.",
    },
  },
  bg: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Още ли сте на линия?",
      apology: "Извинете, бихте ли повторили?",
      filler: "Един момент, моля.",
      goodbye: "Трябва да приключим разговора. Довиждане.",
      limit: "В момента не мога да отговоря на това.",
    },
  },
  bn: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "আপনি কি এখনও লাইনে আছেন?",
      apology: "দুঃখিত, আপনি কি আবার বলবেন?",
      filler: "একটু অপেক্ষা করুন।",
      goodbye: "আমাদের এখন কলটি শেষ করতে হবে। ধন্যবাদ।",
      limit: "এই মুহূর্তে আমি এর উত্তর দিতে পারছি না।",
    },
  },
  ca: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Encara hi és?",
      apology: "Ho sento, ho podria repetir?",
      filler: "Un moment, sisplau.",
      goodbye: "Hem de finalitzar la trucada. Adeu.",
      limit: "Ara mateix no ho puc respondre.",
    },
  },
  cs: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Jste ještě na lince?",
      apology: "Promiňte, můžete to prosím zopakovat?",
      filler: "Moment, prosím.",
      goodbye: "Teď už musíme hovor ukončit. Na shledanou.",
      limit: "Na to teď nemohu odpovědět.",
    },
  },
  da: {
    source: unchecked(),
    phrases: {
      inactivity: "Er du der stadig?",
      apology: "Undskyld, vil du gentage det?",
      filler: "Et øjeblik, tak.",
      goodbye: "Vi er nødt til at afslutte opkaldet nu. Farvel.",
      limit: "Det kan jeg ikke svare på lige nu.",
    },
  },
  de: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Sind Sie noch da?",
      apology: "Entschuldigung, könnten Sie das bitte wiederholen?",
      filler: "Einen Moment, bitte.",
      goodbye: "Wir müssen jetzt auflegen. Auf Wiederhören.",
      limit: "Das kann ich im Augenblick nicht beantworten.",
    },
  },
  el: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Είστε ακόμα στη γραμμή;",
      apology: "Συγγνώμη, μπορείτε να το επαναλάβετε;",
      filler: "Μια στιγμή, παρακαλώ.",
      goodbye: "Πρέπει να τερματίσουμε την κλήση τώρα. Γεια σας.",
      limit: "Δεν μπορώ να απαντήσω σε αυτό τώρα.",
    },
  },
  es: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "¿Sigue usted ahí?",
      apology: "Lo siento, ¿podría repetirlo?",
      filler: "Un momento, por favor.",
      goodbye: "Tenemos que terminar la llamada. Adiós.",
      limit: "No puedo responder a eso en este momento.",
    },
  },
  fa: {
    source: unchecked(),
    phrases: {
      inactivity: "هنوز پشت خط هستید؟",
      apology: "ببخشید، ممکن است دوباره بگویید؟",
      filler: "یک لحظه لطفاً.",
      goodbye: "باید تماس را پایان دهیم. خداحافظ.",
      limit: "الان نمی‌توانم به این پاسخ بدهم.",
    },
  },
  fi: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Oletteko vielä linjalla?",
      apology: "Anteeksi, voisitteko toistaa?",
      filler: "Odottakaa hetki, olkaa hyvä.",
      goodbye: "Meidän on nyt lopetettava puhelu. Kuulemiin.",
      limit: "En voi vastata siihen juuri nyt.",
    },
  },
  fil: {
    source: unchecked("polite particles"),
    phrases: {
      inactivity: "Nandiyan pa po ba kayo?",
      apology: "Pasensya na po, maaari po bang ulitin ninyo?",
      filler: "Sandali lang po.",
      goodbye: "Kailangan na po nating tapusin ang tawag. Paalam po.",
      limit: "Hindi ko po masasagot iyan ngayon.",
    },
  },
  fr: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Êtes-vous toujours là ?",
      apology: "Je suis désolé, pourriez-vous répéter ?",
      filler: "Un instant, s’il vous plaît.",
      goodbye: "Nous devons mettre fin à cet appel. Au revoir.",
      limit: "Je ne peux pas répondre à cela maintenant.",
    },
  },
  he: {
    source: unchecked("plural address, which names no gender"),
    phrases: {
      inactivity: "האם אתם עדיין על הקו?",
      apology: "סליחה, אפשר לחזור על זה בבקשה?",
      filler: "רגע אחד, בבקשה.",
      goodbye: "אנחנו צריכים לסיים את השיחה עכשיו. להתראות.",
      limit: "אין אפשרות לענות על כך כרגע.",
    },
  },
  hi: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "क्या आप अभी भी लाइन पर हैं?",
      apology: "माफ़ कीजिए, क्या आप दोबारा कह सकते हैं?",
      filler: "कृपया एक क्षण रुकिए।",
      goodbye: "अब हमें यह कॉल समाप्त करनी होगी। नमस्ते।",
      limit: "अभी इसका उत्तर देना संभव नहीं है।",
    },
  },
  hr: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Jeste li još na liniji?",
      apology: "Oprostite, možete li ponoviti?",
      filler: "Samo trenutak, molim.",
      goodbye: "Sada moramo završiti poziv. Doviđenja.",
      limit: "Trenutačno ne mogu odgovoriti.",
    },
  },
  hu: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Vonalban van még?",
      apology: "Elnézést, megismételné, kérem?",
      filler: "Egy pillanat, kérem.",
      goodbye: "Most be kell fejeznünk a hívást. Viszonthallásra.",
      limit: "Erre most nem tudok válaszolni.",
    },
  },
  id: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Apakah Anda masih di sana?",
      apology: "Maaf, bisa tolong diulangi?",
      filler: "Mohon tunggu sebentar.",
      goodbye: "Kami harus mengakhiri panggilan ini. Sampai jumpa.",
      limit: "Saya tidak bisa menjawabnya sekarang.",
    },
  },
  it: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "È ancora in linea?",
      apology: "Mi scusi, potrebbe ripetere?",
      filler: "Un attimo, per favore.",
      goodbye: "Dobbiamo terminare la chiamata. Arrivederci.",
      limit: "In questo momento non posso rispondere.",
    },
  },
  ja: {
    source: unchecked("polite form"),
    phrases: {
      inactivity: "お電話はつながっていますか？",
      apology: "申し訳ありません、もう一度おっしゃっていただけますか？",
      filler: "少々お待ちください。",
      goodbye: "申し訳ございませんが、ここで通話を終了いたします。失礼いたします。",
      limit: "ただいまお答えすることができません。",
    },
  },
  ko: {
    source: unchecked("polite form"),
    phrases: {
      inactivity: "아직 듣고 계신가요?",
      apology: "죄송합니다. 다시 한번 말씀해 주시겠어요?",
      filler: "잠시만 기다려 주세요.",
      goodbye: "이제 통화를 마쳐야 합니다. 안녕히 계세요.",
      limit: "지금은 답변해 드릴 수 없습니다.",
    },
  },
  ms: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Adakah anda masih di sana?",
      apology: "Maaf, boleh ulang sekali lagi?",
      filler: "Sila tunggu sebentar.",
      goodbye: "Kami perlu menamatkan panggilan ini. Selamat tinggal.",
      limit: "Saya tidak dapat menjawabnya sekarang.",
    },
  },
  nb: {
    source: unchecked(),
    phrases: {
      inactivity: "Er du der fortsatt?",
      apology: "Beklager, kan du gjenta det?",
      filler: "Et øyeblikk, takk.",
      goodbye: "Vi må avslutte samtalen nå. Ha det bra.",
      limit: "Det kan jeg ikke svare på akkurat nå.",
    },
  },
  nl: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Bent u er nog?",
      apology: "Sorry, kunt u dat herhalen?",
      filler: "Een ogenblik, alstublieft.",
      goodbye: "We moeten nu ophangen. Tot ziens.",
      limit: "Daar kan ik nu geen antwoord op geven.",
    },
  },
  pl: {
    source: unchecked("impersonal, which names no gender"),
    phrases: {
      inactivity: "Czy nadal jesteśmy połączeni?",
      apology: "Przepraszam, czy można to powtórzyć?",
      filler: "Proszę chwilę zaczekać.",
      goodbye: "Musimy teraz zakończyć rozmowę. Do widzenia.",
      limit: "Nie mogę teraz na to odpowiedzieć.",
    },
  },
  pt: {
    source: unchecked("Brazilian"),
    phrases: {
      inactivity: "Você ainda está aí?",
      apology: "Desculpe, poderia repetir?",
      filler: "Um momento, por favor.",
      goodbye: "Precisamos encerrar a chamada. Até logo.",
      limit: "Não posso responder a isso agora.",
    },
  },
  "pt-PT": {
    source: unchecked("European"),
    phrases: {
      inactivity: "Ainda está aí?",
      apology: "Desculpe, pode repetir, por favor?",
      filler: "Um momento, por favor.",
      goodbye: "Temos de terminar a chamada. Até logo.",
      limit: "Neste momento não posso responder a isso.",
    },
  },
  ro: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Mai sunteți pe fir?",
      apology: "Îmi pare rău, puteți repeta?",
      filler: "Un moment, vă rog.",
      goodbye: "Trebuie să încheiem convorbirea acum. La revedere.",
      limit: "Nu pot răspunde la asta acum.",
    },
  },
  ru: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Вы ещё на линии?",
      apology: "Извините, не могли бы вы повторить?",
      filler: "Одну минуту, пожалуйста.",
      goodbye: "Нам нужно завершить разговор. До свидания.",
      limit: "Сейчас я не могу на это ответить.",
    },
  },
  sk: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Ste ešte na linke?",
      apology: "Prepáčte, môžete to zopakovať?",
      filler: "Moment, prosím.",
      goodbye: "Teraz musíme hovor ukončiť. Dovidenia.",
      limit: "Na to teraz nemôžem odpovedať.",
    },
  },
  sv: {
    source: unchecked(),
    phrases: {
      inactivity: "Är du fortfarande kvar?",
      apology: "Förlåt, kan du säga det igen?",
      filler: "Ett ögonblick, tack.",
      goodbye: "Vi måste avsluta samtalet nu. Hej då.",
      limit: "Det kan jag inte svara på just nu.",
    },
  },
  th: {
    source: unchecked("without the particles that tell a speaker's gender"),
    phrases: {
      inactivity: "คุณยังอยู่ในสายหรือไม่",
      apology: "ขออภัย กรุณาพูดอีกครั้งได้ไหม",
      filler: "กรุณารอสักครู่",
      goodbye: "ขออภัย เราต้องวางสายแล้ว สวัสดี",
      limit: "ขณะนี้ไม่สามารถตอบคำถามนี้ได้",
    },
  },
  tr: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Hâlâ orada mısınız?",
      apology: "Özür dilerim, tekrar söyler misiniz?",
      filler: "Bir dakika lütfen.",
      goodbye: "Artık görüşmeyi sonlandırmamız gerekiyor. Hoşça kalın.",
      limit: "Şu anda buna yanıt veremiyorum.",
    },
  },
  uk: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Ви ще на лінії?",
      apology: "Перепрошую, чи не могли б ви повторити?",
      filler: "Одну хвилинку, будь ласка.",
      goodbye: "Нам потрібно завершити розмову. До побачення.",
      limit: "Зараз я не можу на це відповісти.",
    },
  },
  ur: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "کیا آپ اب بھی لائن پر ہیں؟",
      apology: "معاف کیجیے، کیا آپ دوبارہ کہیں گے؟",
      filler: "ایک لمحہ، براہ کرم۔",
      goodbye: "ہمیں اب یہ کال ختم کرنی ہوگی۔ خدا حافظ۔",
      limit: "ابھی اس کا جواب دینا ممکن نہیں ہے۔",
    },
  },
  vi: {
    source: unchecked("formal address"),
    phrases: {
      inactivity: "Quý vị còn ở đó không?",
      apology: "Xin lỗi, quý vị có thể nói lại được không?",
      filler: "Xin vui lòng chờ một chút.",
      goodbye: "Chúng tôi phải kết thúc cuộc gọi này. Tạm biệt.",
      limit: "Hiện tại tôi chưa thể trả lời câu hỏi này.",
    },
  },
  zh: {
    source: unchecked("simplified characters"),
    phrases: {
      inactivity: "请问您还在吗？",
      apology: "对不起，请您再说一遍好吗？",
      filler: "请稍等片刻。",
      goodbye: "我们现在需要结束通话了。再见。",
      limit: "我现在无法回答这个问题。",
    },
  },
  "zh-Hant": {
    source: unchecked("traditional characters, for Taiwan, Hong Kong and Cantonese"),
    phrases: {
      inactivity: "請問您還在嗎？",
      apology: "不好意思，請您再說一次好嗎？",
      filler: "請稍候片刻。",
      goodbye: "我們現在必須結束這通電話了，再見。",
      limit: "我現在無法回答這個問題。",
    },
  },
};
