const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
const found = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1];

/** What a person calls the place where somebody decides: a device by its name, a browser with its system. */
export function deciderName({
  kind,
  deviceName,
  userAgent,
}: {
  kind: string;
  deviceName: string | null;
  userAgent: string | null;
}): string {
  if (deviceName !== null) return deviceName;
  if (kind === 'owner') return 'the command line of this machine';
  const text = userAgent ?? '';
  const host = /^svc\/\S+ \(([\w.-]{1,100})\)/.exec(text)?.[1];
  if (host !== undefined) return `the command line of ${host}`;
  const [browser, system] = [found(browsers, text), found(systems, text)];
  if (browser === undefined) return 'an unknown client';
  return system === undefined ? browser : `${browser} on ${system}`;
}
