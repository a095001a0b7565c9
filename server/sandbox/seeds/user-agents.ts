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
