/**
 * Albums of many languages, and what old programs make of their tags: bytes of one encoding that are read as Latin-1.
 */

/** Artist, album, titles. */
type Album = readonly string[]

export const albums = {
  gbk: [
    ['周杰伦', '叶惠美', '以父之名', '懦夫', '晴天', '三年二班', '东风破', '你听得到', '同一种调调', '她的睫毛', '爱情悬崖', '梯田', '双刀'],
    ['邓丽君', '淡淡幽情', '独上西楼', '但愿人长久', '几多愁', '芳草无情', '清夜悠悠', '有谁知我此时情'],
    ['王菲', '只爱陌生人', '开到荼蘼', '当时的月亮', '百年孤寂', '蝴蝶', '催眠', '只爱陌生人', '过眼云烟'],
    ['崔健', '新长征路上的摇滚', '一无所有', '假行僧', '花房姑娘', '让我睡个好觉', '从头再来', '出走', '不是我不明白'],
    ['朴树', '我去2000年', '那些花儿', '白桦林', 'New Boy', '旅途'],
    ['许巍', '时光·漫步', '蓝莲花', '完美生活', '礼物', '漫步', '时光'],
    ['李健', '似水流年', '什刹海', '绽放', '似水流年', '温暖']
  ],
  big5: [
    ['陳奕迅', '黑白灰', '十面埋伏', '幸災樂禍', '單車', '我的快樂時代', '歲月如歌', '衝口而出', '大開眼戒'],
    ['張學友', '吻別', '吻別', '分手總要在雨天', '偷閒加油站', '等你等到我心痛', '一路上有你', '我等到花兒也謝了'],
    ['羅大佑', '之乎者也', '鹿港小鎮', '戀曲1980', '童年', '錯誤', '搖籃曲', '之乎者也', '將進酒', '光陰的故事', '蒲公英'],
    ['五月天', '人生海海', '好不好', '人生海海', '借問眾神明', '一顆蘋果', '永遠的永遠', '純真'],
    ['蔡琴', '民歌', '恰似你的溫柔', '抉擇', '出塞曲', '廟會', '讀你'],
    ['張雨生', '口是心非', '河', '口是心非', '她不在那', '隨你', '玫瑰的名字'],
    ['林憶蓮', '愛上一個不回家的人', '回來愛的身邊', '沒有你還是愛你', '當愛已成往事', '至少還有你']
  ],
  shift_jis: [
    ['宇多田ヒカル', '初恋', 'あなた', '誓い', '真夏の通り雨', '花束を君に', '大空で抱きしめて', '夕凪', '嫉妬されるべき人生'],
    ['スピッツ', 'ハチミツ', 'ハチミツ', '涙がキラリ☆', '歩き出せ、クローバー', 'ルナルナ', '愛のことば', 'トンガリ', 'あじさい通り', 'ロビンソン', 'Y', 'グラスホッパー',
      '君と暮らせたら'],
    ['椎名林檎', '無罪モラトリアム', '正しい街', '歌舞伎町の女王', '丸の内サディスティック', '幸福論', '茜さす 帰路照らされど…', 'シドと白昼夢', '積木遊び'],
    ['中島みゆき', '寒水魚', '悪女', '傾斜', '鳥になって', '捨てるほどの愛でいいから', '時刻表', '砂の船', '家出', '歌姫'],
    ['久石譲', 'となりのトトロ', 'さんぽ', '五月の村', 'オバケやしき!', 'メイとすすわたり', '風のとおり道', 'まいご'],
    ['米津玄師', 'Lemon', 'Lemon', 'クランベリーとパンケーキ', 'Paper Flower'],
    ['細野晴臣', '泰安洋行', '蝶々-San', '香港Blues', '東京Shyness Boy', '北京ダック']
  ],
  'euc-kr': [
    ['김광석', '다시 부르기', '이등병의 편지', '사랑했지만', '그날들', '거리에서', '광야에서', '그루터기', '말하지 못한 내 사랑'],
    ['아이유', '꽃갈피', '나의 옛날이야기', '꽃', '삐에로는 우릴 보고 웃지', '사랑이 지나가면', '너의 의미', '여름밤의 꿈'],
    ['서태지와 아이들', '하여가', '우리들만의 추억', '하여가', '너에게', '수시아', '마지막 축제', '이제는'],
    ['이문세', '사랑이 지나가면', '그녀의 웃음소리뿐', '가을이 오면', '깊은 밤을 날아서', '슬픈 미소', '이별이야기'],
    ['들국화', '행진', '행진', '그것만이 내 세상', '세계로 가는 기차', '더 이상 내게', '축복합니다', '사랑일 뿐이야', '매일 그대와', '오후만 있던 일요일'],
    ['버스커 버스커', '버스커 버스커 1집', '벚꽃 엔딩', '여수 밤바다', '첫사랑', '꽃송이가'],
    ['박효신', '꿈', '야생화', '해줄 수 없는 일', '숨']
  ],
  'windows-1251': [
    ['Кино', 'Группа крови', 'Группа крови', 'Закрой за мной дверь, я ухожу', 'Война', 'Спокойная ночь',
      'Мама, мы все тяжело больны', 'Бошетунмай', 'В наших глазах', 'Попробуй спеть вместе со мной', 'Прохожий',
      'Дальше действовать будем мы', 'Легенда'],
    ['Алла Пугачёва', 'Зеркало души', 'Зеркало в зеркале', 'Приезжай', 'Песенка первоклассника', 'Бубен шамана',
      'Не отрекаются любя', 'Верю в тебя', 'Сонет Шекспира'],
    ['Ольга Арефьева', 'Регги левой ноги', 'Регги левой ноги', 'Дорога в рай', 'Панихида по апрелю', 'Магия чисел',
      'Площадь Ногина'],
    ['Земфира', 'Прости меня моя любовь', 'Хочешь?', 'Искала', 'Ненавижу', 'Сигареты', 'Лондон', 'Доказано',
      'Шкалят датчики', 'Не отпускай'],
    ['Владимир Высоцкий', 'Кони привередливые', 'Кони привередливые', 'Охота на волков', 'Песня о друге',
      'Утренняя гимнастика', 'Скалолазка'],
    ['Ленинград', 'Хлеб', 'Никого не жалко', 'Мой друг - гондон', 'Свобода'],
    ['Сплин', 'Гранатовый альбом', 'Весь этот бред', 'Приходи', 'Орбит без сахара', 'Бог устал нас любить',
      'Люся сидит дома', 'Выхода нет', 'Катись, колесо!']
  ],
  'windows-1252': [
    ['Édith Piaf', 'Les Amants de Téruel', 'La Foule', 'Où sont-ils tous mes copains', 'Télégramme', 'Ça ira',
      'Tout fout l’camp', 'À l’enseigne de la fille sans cœur', 'Le Noël de la rue'],
    ['Björk', 'Gling-Gló', 'Gling gló', 'Luktar-Gvendur', 'Kata rokkar', 'Pabbi minn', 'Brestir og brak',
      'Ástartöfrar', 'Bella símamær', 'Litli tónlistarmaðurinn', 'Það sést ekki sætari mey', 'Bílavísur', 'Tondeleyo',
      'Ég veit ei hvað skal segja', 'Í dansi með þér', 'Börnin við tjörnina'],
    ['Sigur Rós', 'Ágætis byrjun', 'Svefn-g-englar', 'Starálfur', 'Flugufrelsarinn', 'Ný batterí',
      'Hjartað hamast (bamm bamm bamm)', 'Viðrar vel til loftárása', 'Olsen Olsen', 'Ágætis byrjun', 'Avalon'],
    ['Mägo de Oz', 'Finisterra', 'Satanía', 'La Cruz de Santiago', 'La danza del fuego', 'Hasta que el cuerpo aguante',
      'El señor de los gramillos', 'Fiesta pagana', 'Es hora de marchar', 'Réquiem por un año', 'Niño', 'Corazón'],
    ['Antônio Carlos Jobim', 'Águas de Março', 'Águas de março', 'Coração vagabundo', 'Não tem solução', 'Você',
      'Insensatez', 'Canção do amor demais', 'Manhã de carnaval'],
    ['Die Ärzte', 'Geräusch', 'Als ich den Punk erfand …', 'Nichts in der Welt', 'Dinge von denen', 'Der Grund',
      'Ein Mann', 'Geisterhaus', 'Lovepower', 'System', 'Deine Schuld', 'Ekelpack', 'Jag älskar Sverige!', 'Grün',
      'Über dem Größenwahn', 'Süße Flöße'],
    ['Kent', 'Vapen & ammunition', 'Sundance Kid', 'Pärlor', 'Dom andra', 'Duett', 'Hur jag fick dig att älska mig',
      'Kärleken väntar', 'Socker', 'FF', 'Elite', 'Sverige'],
    ['Värttinä', 'Seleniko', 'Seelinnikoi', 'Matalii ja mustii', 'Kylä vuotti uutta kuuta', 'Lemmennosto', 'Pihi neito',
      'Hyvä tyttönä hypätä', 'Sulhassii', 'Mie tahon tanssii', 'Sääskilintu', 'Äijö'],
    ['Ñu', 'Fuego', 'Más duro que nunca', '¿Dónde?', '¡Olé!', 'Ñandú'],
    ['Mötley Crüe', 'Dr. Feelgood', 'Kickstart My Heart'],
    ['Queensrÿche', 'Operation: Mindcrime', 'I Remember Now'],
    ['Motörhead', '“No Sleep” – Live', 'Ace of Spades', 'Overkill'],
    ['Gösta Ekman', 'Åh å ä ö', 'ÅÄÖ', 'öäå', 'Öl', 'Å'],
    ['Hüsker Dü', 'Zen Arcade', 'Something I Learned Today'],
    ['Sólstafir', 'Ótta', 'Lágnætti', 'Ótta', 'Rismál', 'Dagmál', 'Miðdegi', 'Nón', 'Miðaftann', 'Náttmál'],
    ['Þeyr', 'Þagað í hel', 'Þú', 'Æ', 'Öskubuska'],
    ['Côr', 'Ô', 'ÉÉÉ', 'ÀÁÂÃÄÅ', 'Ooóòôö'],
    ['Gåte', 'Jygri', 'Springleik', 'Bendik og Årolilja', 'Jygri', 'Knut liten og Sylvelin', 'Grusomme skjebne',
      'Snåle mi jente', 'Til deg', 'Sjå attende', 'Rike Rodenigår', 'Skrømt', 'Kjærleik']
  ],
  'windows-1250': [
    ['Karel Gott', 'Zůstanu svůj', 'Když muž se ženou snídá', 'Být stále mlád', 'Včelka Mája', 'Paganini',
      'Kávu si osladím', 'Čau lásko', 'Jdi za štěstím'],
    ['Czesław Niemen', 'Dziwny jest ten świat', 'Gdzie to jest', 'Wspomnienie', 'Chciałbym cofnąć czas',
      'Jeszcze swój egzamin zdasz', 'Nigdy się nie dowiesz', 'Pod papugami'],
    ['Omega', 'Tízezer lépés', 'Gyöngyhajú lány', 'Petróleumlámpa', 'Tűzvihar', 'Udvari bolond kenyere',
      'Kérgeskezű favágók']
  ],
  'windows-1253': [
    ['Μίκης Θεοδωράκης', 'Το Άξιον Εστί', 'Τα πάθη', 'Η Γένεσις', 'Της δικαιοσύνης ήλιε νοητέ', 'Ένα το χελιδόνι'],
    ['Γιώργος Νταλάρας', 'Μικρά Ασία', 'Δυο παλικάρια απ’ τ’ Αϊβαλί', 'Η Σμύρνη', 'Πέτρα πέτρα']
  ],
  'windows-1254': [
    ['Barış Manço', 'Yeni Bir Gün', 'Sarı Çizmeli Mehmet Ağa', 'Aynalı Kemer', 'Ne Köy Olur Benden Ne De Kasaba',
      'Gülme Ha Gülme', 'Dağlar Dağlar'],
    ['Sezen Aksu', 'Gülümse', 'Hadi Bakalım', 'Değer mi', 'Namus', 'Vazgeçtim', 'Şinanay', 'Seni Kimler Aldı', 'Tutsak',
      'Ne Kavgam Bitti Ne Sevdam']
  ],
  'windows-874': [
    ['คาราบาว', 'เมดอินไทยแลนด์', 'เมดอินไทยแลนด์', 'มหาลัย', 'เรฟูจี', 'นางงามตู้กระจก', 'ราชาเงินผ่อน'],
    ['ธงไชย แมคอินไตย์', 'บูมเมอแรง', 'บูมเมอแรง', 'คู่กัด', 'เงียบๆ คนเดียว', 'หมอกหรือควัน']
  ],
  'koi8-r': [
    ['Кино', 'Группа крови', 'Закрой за мной дверь, я ухожу', 'Война', 'Спокойная ночь', 'Мама, мы все тяжело больны'],
    ['Земфира', 'Прости меня моя любовь', 'Хочешь?', 'Искала', 'Ненавижу', 'Сигареты', 'Лондон']
  ]
} satisfies Record<string, readonly Album[]>

const tables = new Map<string, ReadonlyMap<string, number[]>>()

/** The bytes of every character that an encoding has. */
function tableOf (encoding: string): ReadonlyMap<string, number[]> {
  const known = tables.get(encoding)
  if (known !== undefined) return known
  const table = new Map<string, number[]>()
  const decoder = new TextDecoder(encoding)
  const add = (bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes)
  }
  for (let one = 0; one < 256; one++) add([one])
  if (['gbk', 'big5', 'shift_jis', 'euc-kr'].includes(encoding)) {
    for (let one = 0x81; one < 255; one++) for (let two = 0x40; two < 255; two++) add([one, two])
  }
  tables.set(encoding, table)
  return table
}

/** A text as a program has it that takes its bytes for Latin-1. */
export const garble = (text: string, encoding: string): string =>
  String.fromCharCode(...[...text].flatMap(character => tableOf(encoding).get(character) ?? []))
