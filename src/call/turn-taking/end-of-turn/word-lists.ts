/** What the judgement of a text needs to know of a language. Lists of words are separated by spaces. */
export interface WordLists {
  /** Words after which more must follow: conjunctions, prepositions, articles, possessives, auxiliaries. */
  readonly trailing: string;
  /** Sounds of somebody who looks for words. */
  readonly hesitations: string;
  /** Words that begin a question which asks for more than yes or no, and other words that begin questions. */
  readonly openings: string;
  readonly questions: string;
  /** Complete answers by themselves. */
  readonly answers: string;
  /** The digits from 0 on, and the words for numbers below a hundred and for "hundred" and "thousand". */
  readonly numbers: string;
  /** Names of letters that have more than one letter themselves. */
  readonly letters: string;
  /** What an agent says who asks for a number, for a spelling, and who offers a choice. */
  readonly asksNumber: string;
  readonly asksSpelling: string;
  /** How an agent asks for something without a question: "please", "tell". */
  readonly requests: string;
  readonly or: string;
}

/**
 * One entry a language. Those of en, de, es, fr, it, nl and pt were read by somebody who reads these languages; no speaker has
 * checked the others.
 */
export const WORD_LISTS: Readonly<Record<string, WordLists>> = {
  en: {
    trailing:
      "and but or nor so because if that when while which who whose where although though since unless until than as the a an this these those my your his her its our their to of in on at for with from by about into over under between without through during after before is am are was were be been will would can could should must may might have has do does did not very really just i you he she we they there it's i'm you're we're they're that's there's i'd i'll i've let's like well",
    hesitations: "um uh uhm er erm hm hmm mm",
    openings: "what who whom whose when where why which how what's who's where's how's",
    questions:
      "is are am was were do does did can could will would shall should may have has isn't aren't don't doesn't didn't can't couldn't won't wouldn't",
    answers:
      "yes yeah yep yup no nope okay ok sure right correct exactly thanks thank goodbye bye hello hi please absolutely definitely fine great stop cancel",
    numbers:
      "zero one two three four five six seven eight nine oh double triple ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand",
    letters: "bee cee dee ef gee aitch jay kay el em en pee cue queue ar ess tee vee ex wye why zee zed",
    asksNumber: "number numbers digits code pin phone telephone extension date zip postcode many much age year account",
    asksSpelling: "spell spelling letter letters",
    requests: "please tell give say enter",
    or: "or",
  },
  de: {
    trailing:
      "und aber oder also weil wenn dass ob als denn sondern der die das den dem des ein eine einen einem einer eines dieser diese dieses mein meine meinen meinem meiner dein deine ihr ihre ihren unser unsere sein seine zu zum zur von vom in im an am auf für mit bei nach aus über unter um durch gegen ohne vor zwischen bis seit wegen ist sind bin war waren wird werden wurde würde hat habe haben hatte kann können könnte muss müssen soll will möchte nicht sehr ganz ich wir er es man wie wo welche welcher tja",
    hesitations: "äh ähm öh hm hmm",
    openings: "was wer wen wem wann wo warum wieso weshalb welche welcher welches welchen wie woher wohin womit",
    questions: "ist sind kann können könnten haben hat darf soll wird werden möchten gibt",
    answers:
      "ja nein doch jawohl genau richtig okay ok gut danke tschüss hallo bitte klar natürlich gerne stimmt stopp",
    numbers:
      "null eins zwei drei vier fünf sechs sieben acht neun zwo ein zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend",
    letters: "be ce de ef ge ha jot ka el em en pe ku er es te vau we ix ypsilon zet",
    asksNumber:
      "nummer zahl ziffern code pin telefonnummer rufnummer kundennummer datum postleitzahl viele alt jahr durchwahl",
    asksSpelling: "buchstabieren buchstabiere buchstabe buchstaben",
    requests: "bitte nennen sagen geben",
    or: "oder",
  },
  es: {
    trailing:
      "y e o u pero porque si que aunque cuando mientras donde como el la los las lo un una unos unas al del a de en con por para sin sobre entre desde hasta hacia según mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa es son soy está estoy están era fue ha he han hay puede puedo quiero quiere debe no muy más yo se me te le nos les cuyo cuya pues",
    hesitations: "eh em mmm",
    openings: "qué quién quiénes cuándo dónde adónde cuál cuáles cómo cuánto cuánta cuántos cuántas",
    questions: "puede puedo podría podrías hay está tiene tienes",
    answers:
      "sí si no vale claro correcto exacto exactamente gracias adiós hola bueno bien perfecto ok okay desde-luego cancelar",
    numbers:
      "cero uno dos tres cuatro cinco seis siete ocho nueve una un diez once doce trece catorce quince dieciséis dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil",
    letters:
      "be ce che de efe ge hache i jota ka ele elle eme ene eñe o pe cu erre ere ese te u uve ve doble equis ye griega zeta",
    asksNumber:
      "número numero números dígitos código codigo clave pin teléfono telefono extensión fecha cuántos cuántas edad año cuenta postal",
    asksSpelling: "deletrear deletree deletrea letra letras",
    requests: "dígame diga dime indique por",
    or: "o u",
  },
  fr: {
    trailing:
      "et ou mais donc or ni car parce que qu' si quand lorsque comme puisque dont où qui le la les l' un une des du de d' au aux à en dans sur sous avec sans pour par chez vers entre depuis pendant avant après mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces est sont suis était a ai ont avez avons peut peux veux voudrais doit dois ne très plus je j' tu il elle on nous vous ils elles se me te y c' n' s' m'",
    hesitations: "euh heu bah ben hum hein",
    openings: "qui quoi quand où pourquoi comment combien quel quelle quels quelles que qu'est-ce",
    questions: "est-ce pouvez pourriez puis-je avez-vous êtes-vous peut-on",
    answers:
      "oui non ouais si d'accord exactement merci bonjour bonsoir allô parfait bien ok okay voilà correct stop annuler volontiers",
    numbers:
      "zéro un deux trois quatre cinq six sept huit neuf une dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingts quatre-vingt-dix cent mille",
    letters: "bé cé dé effe gé hache ji ka elle emme enne pé cu ku erre esse té vé double ixe i-grec igrec zède",
    asksNumber: "numéro numéros chiffres code téléphone poste date combien âge année compte postal",
    asksSpelling: "épeler épelez épelle lettre lettres",
    requests: "veuillez donnez dites indiquez donnez-moi",
    or: "ou",
  },
  it: {
    trailing:
      "e ed o od ma però oppure perché se che quando mentre dove come quindi allora il lo la i gli le l' un uno una un' di a ad da in con su per tra fra del dello della dell' dei degli delle al allo alla all' ai agli alle dal dalla dall' dai nel nello nella nell' nei nelle sul sulla sui col mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro questo questa questi queste quel quella è sono sei era ho ha hanno posso può deve vorrei non molto più io mi ti si ci vi ne cui quale cioè",
    hesitations: "ehm eh uhm mmm boh",
    openings: "che cosa cos'è chi quando dove dov'è perché quale quali qual come quanto quanta quanti quante",
    questions: "posso può potrebbe puoi c'è avete",
    answers:
      "sì si no certo esatto esattamente giusto corretto grazie arrivederci ciao buongiorno pronto bene va-bene perfetto ok okay prego annulla",
    numbers:
      "zero uno due tre quattro cinque sei sette otto nove una un dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti ventuno ventotto trenta trentuno quaranta cinquanta sessanta settanta ottanta novanta cento mille",
    letters: "bi ci di effe gi acca i-lunga cappa elle emme enne pi cu qu erre esse ti vu doppia ics ipsilon zeta",
    asksNumber: "numero numeri cifre codice pin telefono interno data quanti quante età anno conto postale",
    asksSpelling: "lettera lettere sillabare spelling compitare",
    requests: "dica dimmi indichi inserisca prego",
    or: "o oppure",
  },
  nl: {
    trailing:
      "en of maar want dus als dat omdat toen terwijl wie die de het een deze dit te van in op voor met aan bij uit over onder door om naar tot zonder tussen mijn je jouw uw zijn haar ons onze hun is ben bent was waren wordt worden heeft heb hebben kan kunnen moet moeten wil zou niet heel erg ik jij u hij zij we wij er waar nou",
    hesitations: "eh ehm uh hmm",
    openings: "wat wie wanneer waar waarom welke welk hoe hoeveel",
    questions: "is zijn kan kunt kun heeft heb mag zou wilt wil gaat",
    answers: "ja nee jawel precies klopt oké ok okay goed bedankt dank doei hallo prima graag zeker stop",
    numbers:
      "nul een twee drie vier vijf zes zeven acht negen één tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend",
    letters: "bee cee dee ef gee haa jee kaa el em en pee kuu er es tee vee wee ix ij zet",
    asksNumber: "nummer nummers cijfers code pincode telefoonnummer datum postcode hoeveel leeftijd jaar toestel",
    asksSpelling: "spellen spel letter letters",
    requests: "zeg geef noem alstublieft",
    or: "of",
  },
  pt: {
    trailing:
      "e ou mas porque se que quando enquanto onde como embora o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às com por pelo pela para sem sobre entre até desde meu minha meus minhas seu sua seus suas este esta esse essa é são sou está estou estão era foi tem tenho há pode posso quero não muito mais eu me te lhe cujo então",
    hesitations: "hum hã é ahn",
    openings: "que quem quando onde porquê qual quais como quanto quanta quantos quantas",
    questions: "pode posso poderia há tem está",
    answers: "sim não ok okay claro certo exato exatamente obrigado obrigada tchau olá alô bom perfeito correto",
    numbers:
      "zero um dois três quatro cinco seis sete oito nove uma duas meia dez onze doze treze quatorze catorze quinze dezesseis dezassete dezessete dezoito dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil",
    letters: "bê cê dê efe gê agá jota cá ele eme ene pê quê erre esse tê vê dáblio xis ípsilon zê",
    asksNumber: "número números dígitos código senha telefone ramal data quantos quantas idade ano conta cep",
    asksSpelling: "soletrar soletre letra letras",
    requests: "diga diga-me informe",
    or: "ou",
  },
  ru: {
    trailing:
      "и а но или либо что чтобы если потому когда пока где куда как хотя который которая которое которые чей в во на с со к ко у о об от до из за по под над при про для без через между перед после мой моя моё мое мои мне меня ваш ваша ваше ваши наш наша свой этот эта это эти тот та те не ни очень я вы мы он она они есть был была было будет буду могу можно нужно надо хочу так же ну значит",
    hesitations: "э ээ эээ ммм",
    openings: "что кто кого кому когда где куда откуда почему зачем какой какая какое какие как сколько чем чей",
    questions: "можно могу можете есть ли",
    answers:
      "да нет ага угу хорошо ладно верно точно правильно спасибо пожалуйста здравствуйте алло привет конечно понятно ясно стоп отмена",
    numbers:
      "ноль один два три четыре пять шесть семь восемь девять нуль одна одно две десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто тысяча",
    letters:
      "бэ вэ гэ дэ жэ зэ ка эль эм эн пэ эр эс тэ эф ха цэ че ша ща ей би си ди джи эйч ай джей кей эл оу пи кью ар ти ю ви дабл-ю даблю экс вай зед зет",
    asksNumber: "номер номера цифры код пин телефон дата дату сколько возраст год счёт счета индекс добавочный",
    asksSpelling: "буквам буквы букву буква продиктуйте",
    requests: "назовите скажите введите укажите продиктуйте сообщите",
    or: "или",
  },
  ar: {
    trailing: "و أو لكن لأن إذا أن في من على مع إلى عن الذي التي هذا هذه هو هي أنا",
    hesitations: "يعني آه امم",
    openings: "ما ماذا من متى أين لماذا كيف كم أي",
    questions: "هل",
    answers: "نعم لا أجل شكرا حسنا تمام صحيح مرحبا",
    numbers: "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشرون مئة ألف",
    letters: "",
    asksNumber: "رقم رقمك كم تاريخ",
    asksSpelling: "تهجئة حرف",
    requests: "",
    or: "أو",
  },
  hi: {
    trailing: "और या लेकिन क्योंकि अगर कि का की के में से को पर तो मेरा मेरी",
    hesitations: "मतलब अं उम्म",
    openings: "कौन कब कहाँ क्यों कैसे कितना कितने कौनसा",
    questions: "क्या",
    answers: "हाँ हां नहीं जी ठीक धन्यवाद नमस्ते सही",
    numbers: "शून्य एक दो तीन चार पांच छह सात आठ नौ पाँच छः दस बीस सौ हजार",
    letters: "",
    asksNumber: "नंबर संख्या कितने कोड तारीख",
    asksSpelling: "वर्तनी स्पेलिंग अक्षर",
    requests: "",
    or: "या",
  },
  zh: {
    trailing: "和 或 或者 但是 可是 因为 所以 如果 还有 然后 跟 那个 的 我 在 是 把 给",
    hesitations: "呃 嗯 那个 这个",
    openings: "什么 谁 哪 哪里 为什么 怎么 几 多少",
    questions: "吗 呢",
    answers: "是 对 好 不 不是 好的 可以 谢谢 你好 再见 没有 行",
    numbers: "零 一 二 三 四 五 六 七 八 九 幺 两 〇 十 百 千",
    letters: "",
    asksNumber: "号码 电话 多少 几 密码 日期",
    asksSpelling: "拼写 字母",
    requests: "",
    or: "还是 或者",
  },
  ja: {
    trailing: "と が けど から ので で は を に も の へ",
    hesitations: "えっと あの えーと その",
    openings: "何 誰 いつ どこ なぜ どう いくら いくつ",
    questions: "か",
    answers: "はい いいえ うん ええ そうです ありがとう もしもし",
    numbers: "ゼロ 一 二 三 四 五 六 七 八 九 〇 十 百 千",
    letters: "",
    asksNumber: "番号 電話 何時 いくつ 日付",
    asksSpelling: "綴り スペル 文字",
    requests: "",
    or: "それとも",
  },
  ko: {
    trailing: "그리고 그런데 하지만 그래서 또는 제 내",
    hesitations: "어 음 그",
    openings: "뭐 누구 언제 어디 왜 어떻게 얼마 몇",
    questions: "",
    answers: "네 예 아니요 아니 감사합니다 여보세요",
    numbers: "영 일 이 삼 사 오 육 칠 팔 구 공 십 백 천",
    letters: "",
    asksNumber: "번호 전화 몇 날짜",
    asksSpelling: "철자 글자",
    requests: "",
    or: "또는 아니면",
  },
  th: {
    trailing: "และ หรือ แต่ เพราะ ถ้า ที่ ว่า กับ ของ ใน",
    hesitations: "เอ่อ อืม",
    openings: "อะไร ใคร เมื่อไหร่ ที่ไหน ทำไม อย่างไร กี่",
    questions: "ไหม",
    answers: "ใช่ ไม่ ครับ ค่ะ ขอบคุณ สวัสดี ตกลง",
    numbers: "ศูนย์ หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ",
    letters: "",
    asksNumber: "เบอร์ หมายเลข กี่ วันที่ รหัส",
    asksSpelling: "สะกด ตัวอักษร",
    requests: "",
    or: "หรือ",
  },
};
