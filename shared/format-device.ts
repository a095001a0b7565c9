/** The first match counts, since most browsers also claim to be other browsers. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\//, 'Headless Chrome'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
  [/\bGo-http-client\//, 'a Go program'],
  [/\bnode\b|\bundici\b/i, 'a Node.js program'],
  [/\bpython-|\bPython\//, 'a Python program'],
  [/\bokhttp\//, 'an Android app'],
  [/\bCFNetwork\//, 'an Apple app'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b|\bDarwin\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** Browsers send fewer characters; other clients may send any number. */
const READ_CHARACTERS = 512;

/** "Chrome on macOS", from the User-Agent: a claim, not a proof. */
export function formatDevice(userAgent: string | null | undefined): string {
  if (userAgent === null || userAgent === undefined || userAgent === '') return 'Unknown device';
  const beginning = userAgent.slice(0, READ_CHARACTERS);
  const browser = BROWSERS.find(([pattern]) => pattern.test(beginning))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(beginning))?.[1];
  if (browser === undefined && system === undefined) return 'Unknown device';
  const words = system === undefined ? `${browser}` : `${browser ?? 'A program'} on ${system}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
