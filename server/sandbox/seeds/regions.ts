import type { Random } from './random.ts';

/** A random address in a network: `a.b.c.d/n`, or the first three groups of an IPv6 network. */
export function addressIn(network: string, random: Random): string {
  if (network.includes(':')) {
    const groups = Array.from({ length: 5 }, () => random.below(0x10000).toString(16));
    return `${network}:${groups.join(':')}`;
  }
  const [base = '', prefix = '32'] = network.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = base.split('.').map(Number);
  const start = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - Number(prefix));
  // Neither the network address nor the broadcast address.
  const host = random.below(size / 256) * 256 + 1 + random.below(254);
  const value = start + host;
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}

/** A region that people come from. A name in a non-Latin script is followed by its spelling in addresses. */
export interface Region {
  weight: number;
  locales: readonly string[];
  given: readonly string[];
  family: readonly string[];
  /** Hours ahead of UTC, approximately. */
  utcOffset: number;
  /** Networks of well-known providers there, so that geolocation finds a place. */
  networks: readonly string[];
}

/** Names and networks are separated by spaces. */
const TABLE = [
  {
    weight: 13,
    locales: ['en-US', 'es-US'],
    given:
      'Emma Liam Olivia Noah Ava Ethan Sophia Mason Isabella Logan Mia Jackson Harper Aiden Evelyn Caleb Abigail Jayden Imani Darius Camila Mateo Naomi Elijah',
    family:
      'Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Wilson Anderson Thomas Taylor Moore Jackson Nguyen Washington Patel Kim Rivera Brooks',
    utcOffset: -6,
    networks:
      '73.202.0.0/16 73.9.0.0/16 71.167.0.0/16 108.27.0.0/16 76.167.0.0/16 99.88.0.0/16 72.208.0.0/16 24.16.0.0/16 98.207.0.0/16 174.202.0.0/16 2601:647:4d80',
  },
  {
    weight: 4,
    locales: ['en-CA', 'fr-CA'],
    given: 'Liam Charlotte Benjamin Amélie Lucas Chloé William Sophie Nathan Maya Owen Léa',
    family: 'Tremblay Roy Gagnon MacDonald Singh Campbell Bouchard Côté Stewart Fraser Chan Pelletier',
    utcOffset: -5,
    networks: '99.224.0.0/15 70.24.0.0/15 24.64.0.0/16 24.200.0.0/15 70.48.0.0/16',
  },
  {
    weight: 9,
    locales: ['en-GB', 'en-IE'],
    given:
      'Oliver Amelia George Isla Harry Poppy Jack Freya Arthur Niamh Rhys Cerys Callum Aisling Zainab Tariq Grace Alfie Ffion Hamish',
    family:
      "Smith Jones Evans Wright Walker Hughes Thompson O'Brien Murphy Campbell Khan Ahmed Clarke Davies Robertson Kelly Begum Fletcher Byrne Lloyd",
    utcOffset: 0,
    networks: '86.130.0.0/16 86.160.0.0/16 82.6.0.0/16 82.35.0.0/16 90.200.0.0/16 86.41.0.0/16 2a00:23c5:1a05',
  },
  {
    weight: 10,
    locales: ['de-DE', 'de-AT', 'de-CH'],
    given:
      'Lukas Hannah Finn Emilia Jonas Lena Felix Mia Paul Lea Maximilian Marie Elias Clara Jürgen Käthe Günther Anneliese Ayşe Mehmet Björn Frieda',
    family:
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Yılmaz Huber Keller Gruber',
    utcOffset: 1,
    networks:
      '87.128.0.0/13 91.0.0.0/14 79.192.0.0/13 95.88.0.0/15 178.188.0.0/16 91.112.0.0/16 85.0.0.0/15 83.76.0.0/16 2003:e1:270b',
  },
  {
    weight: 8,
    locales: ['fr-FR', 'fr-BE', 'nl-BE'],
    given:
      'Louis Camille Jules Manon Hugo Inès Gabriel Zoé Raphaël Élodie Théo Chloé Adam Fatou Moussa Noémie François Aurélie',
    family:
      'Martin Bernard Dubois Durand Moreau Laurent Lefebvre Girard Fournier Mercier Blanc Rousseau Traoré Diallo Peeters Janssens Lévêque Benali',
    utcOffset: 1,
    networks: '90.0.0.0/13 82.224.0.0/14 86.192.0.0/13 81.240.0.0/15 84.192.0.0/16 2a01:e0a:1d2',
  },
  {
    weight: 4,
    locales: ['nl-NL'],
    given: 'Daan Emma Sem Julia Lucas Sanne Bram Lotte Thijs Fleur Joost Femke Youssef Samira',
    family: 'Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Kuipers Bouzid Dijkstra',
    utcOffset: 1,
    networks: '77.160.0.0/14 84.24.0.0/15 86.80.0.0/15',
  },
  {
    weight: 5,
    locales: ['sv-SE', 'nb-NO', 'da-DK', 'fi-FI'],
    given:
      'Astrid Lars Freja Mikkel Linnea Anders Ingrid Søren Maja Björn Sigrid Oskar Aino Eero Kaisa Åsa Jens Solveig',
    family:
      'Andersson Johansson Hansen Olsen Nielsen Jensen Lindqvist Berg Korhonen Virtanen Dahl Sørensen Åkesson Nygård Mäkinen Holm',
    utcOffset: 1,
    networks: '90.224.0.0/14 84.208.0.0/15 88.88.0.0/15 91.152.0.0/15 80.160.0.0/15',
  },
  {
    weight: 6,
    locales: ['es-ES', 'pt-PT', 'it-IT'],
    given: 'Lucía Hugo Martina Pablo Sofía Álvaro Giulia Lorenzo Chiara Matteo Beatriz João Inês Tiago Francesca Íñigo',
    family:
      'García Fernández González Pérez Sánchez Rossi Russo Ferrari Bianchi Silva Santos Ferreira Pereira Romano Ibáñez Conti',
    utcOffset: 1,
    networks: '83.32.0.0/14 80.24.0.0/15 79.0.0.0/14 87.0.0.0/15 85.240.0.0/15',
  },
  {
    weight: 5,
    locales: ['pl-PL', 'cs-CZ', 'hu-HU', 'ro-RO', 'uk-UA'],
    given:
      'Zofia Jakub Agnieszka Łukasz Tereza Ondřej Eszter Bence Ioana Andrei Олена|olena Тарас|taras Małgorzata Zoltán',
    family: 'Kowalska Nowak Wiśniewski Novák Dvořák Nagy Szabó Popescu Ionescu Шевченко|shevchenko Коваль|koval Wójcik',
    utcOffset: 2,
    networks: '83.0.0.0/14 79.184.0.0/15 88.100.0.0/15 84.0.0.0/15 86.120.0.0/15 178.92.0.0/16',
  },
  {
    weight: 5,
    locales: ['tr-TR', 'el-GR', 'he-IL', 'ar-AE', 'ar-EG'],
    given:
      'Elif Emre Zeynep Mustafa Νίκος|nikos Ελένη|eleni Noa Yosef فاطمة|fatima محمد|mohammed Layla Omar Yasmin Karim',
    family:
      'Kaya Demir Çelik Παπαδόπουλος|papadopoulos Cohen Levi الفارسي|alfarsi حسن|hassan Haddad Nassar Şahin Mansour',
    utcOffset: 3,
    networks:
      '78.160.0.0/14 88.224.0.0/14 79.128.0.0/16 79.176.0.0/15 86.96.0.0/16 95.184.0.0/15 41.32.0.0/14 41.248.0.0/15',
  },
  {
    weight: 5,
    locales: ['en-NG', 'en-KE', 'en-ZA', 'en-GH'],
    given: 'Chidi Adaeze Wanjiru Otieno Thandiwe Sipho Amara Kofi Ama Femi Zanele Kagiso Ngozi Mwangi Abena Tunde',
    family:
      'Okafor Adeyemi Mwangi Kamau Nkosi Dlamini Mensah Owusu Balogun Eze Botha Naidoo Achieng Boateng Ndlovu Abubakar',
    utcOffset: 2,
    networks: '105.112.0.0/15 197.210.0.0/16 41.90.0.0/16 154.160.0.0/16 105.224.0.0/14 41.144.0.0/15',
  },
  {
    weight: 9,
    locales: ['hi-IN', 'en-IN', 'ur-PK', 'si-LK'],
    given:
      'Aarav Priya Vihaan Ananya Arjun Diya Rohan Kavya आदित्य|aditya Sanjana Imran Ayesha Nimal Lakshmi Harpreet Gurpreet',
    family: 'Sharma Patel Singh Reddy Iyer Gupta Nair Das Khan Chaudhry Perera Fernando Kaur Menon Joshi Banerjee',
    utcOffset: 5,
    networks:
      '122.160.0.0/14 49.36.0.0/15 117.192.0.0/14 106.51.0.0/16 59.184.0.0/16 39.32.0.0/14 112.134.0.0/16 175.157.0.0/16',
  },
  {
    weight: 9,
    locales: ['zh-CN', 'zh-TW', 'ja-JP', 'ko-KR'],
    given:
      '娜|na 伟|wei 芳|fang 磊|lei 美咲|misaki 翔太|shota 陽菜|hina 健|ken 서연|seoyeon 민준|minjun 지우|jiwoo 怡君|yijun 志明|zhiming Grace Kevin 浩|hao',
    family:
      '王|wang 李|li 张|zhang 陈|chen 佐藤|sato 鈴木|suzuki 高橋|takahashi 김|kim 이|lee 박|park 林|lin 黃|huang 刘|liu 田中|tanaka',
    utcOffset: 8,
    networks:
      '101.80.0.0/14 114.240.0.0/14 114.32.0.0/14 126.72.0.0/14 106.128.0.0/14 121.128.0.0/14 1.224.0.0/14 218.102.0.0/16',
  },
  {
    weight: 6,
    locales: ['vi-VN', 'th-TH', 'id-ID', 'ms-MY', 'en-SG', 'fil-PH'],
    given: 'Linh Minh Thảo Đức Siti Budi Dewi Agus Nurul Farid Somchai Malee Jose Maria Angel Wei Putri Rizal',
    family:
      'Nguyễn Trần Lê Phạm Santoso Wijaya Tan Lim Rahman Ismail Suwan Chaiyasit Reyes Cruz Bautista Goh Pratama Hakim',
    utcOffset: 7,
    networks:
      '113.160.0.0/14 27.64.0.0/14 36.64.0.0/14 175.136.0.0/15 171.96.0.0/15 118.172.0.0/16 122.52.0.0/16 124.104.0.0/15 220.255.0.0/16',
  },
  {
    weight: 3,
    locales: ['en-AU', 'en-NZ'],
    given: 'Jack Charlotte Lachlan Matilda Cooper Ruby Aroha Tane Mia Hunter Zoe Kiri',
    family: 'Nguyen Taylor Kelly Walker Ngata Parata Harris Edwards Cooper Mitchell Tamihere Chen',
    utcOffset: 10,
    networks: '1.120.0.0/15 120.144.0.0/15 122.104.0.0/16 220.244.0.0/16 122.56.0.0/15',
  },
  {
    weight: 9,
    locales: ['pt-BR', 'es-MX', 'es-AR', 'es-CO', 'es-CL'],
    given:
      'Miguel Valentina Arthur Helena Davi Alice Santiago Ximena Joaquín Emilia Thiago Antonella Luiz Renata Ángel Guadalupe Benjamín Catalina',
    family:
      'Silva Souza Oliveira Lima Hernández Ramírez Flores Gómez Torres Rojas Muñoz Castillo Vargas Ortiz Quispe Cardoso Almeida Núñez',
    utcOffset: -4,
    networks:
      '189.4.0.0/15 187.56.0.0/15 181.164.0.0/15 190.160.0.0/15 190.24.0.0/15 181.128.0.0/15 190.232.0.0/15 187.190.0.0/16 189.203.0.0/16',
  },
];

export const REGIONS: readonly Region[] = TABLE.map(({ given, family, networks, ...region }) => ({
  ...region,
  given: given.split(' '),
  family: family.split(' '),
  networks: networks.split(' '),
}));

const MOZILLA = 'Mozilla/5.0';
const WINDOWS = `${MOZILLA} (Windows NT 10.0; Win64; x64)`;
const MAC = `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7)`;
const LINUX = `${MOZILLA} (X11; Linux x86_64)`;
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

export const USER_AGENTS: readonly { weight: number; userAgent: string | null }[] = [
  { weight: 22, userAgent: `${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36` },
  { weight: 6, userAgent: `${WINDOWS} ${WEBKIT} Chrome/141.0.0.0 Safari/537.36` },
  { weight: 9, userAgent: `${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0` },
  { weight: 5, userAgent: `${MOZILLA} (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0` },
  { weight: 9, userAgent: `${MAC} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36` },
  { weight: 8, userAgent: `${MAC} ${APPLE} Version/26.0 Safari/605.1.15` },
  { weight: 3, userAgent: `${MOZILLA} (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0` },
  { weight: 3, userAgent: `${MOZILLA} (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0` },
  { weight: 2, userAgent: `${LINUX} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36` },
  {
    weight: 14,
    userAgent: `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE} Version/18.6 Mobile/15E148 Safari/604.1`,
  },
  {
    weight: 2,
    userAgent: `${MOZILLA} (iPad; CPU OS 18_6 like Mac OS X) ${APPLE} Version/18.6 Mobile/15E148 Safari/604.1`,
  },
  { weight: 11, userAgent: `${MOZILLA} (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36` },
  {
    weight: 3,
    userAgent: `${MOZILLA} (Linux; Android 15; SM-S931B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  },
  { weight: 2, userAgent: 'ExampleApp/4.12.0 (com.example.app; build:812; iOS 18.6.0) Alamofire/5.10.0' },
  { weight: 1, userAgent: null },
];
