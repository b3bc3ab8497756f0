const LETTERS = 4;
const PER_LINE = 8;

/** A fingerprint such as sha256:0a1b… in two lines of groups, as two people compare it. */
export function formatFingerprint(fingerprint: string): string[] {
  const [kind = '', digits = ''] = fingerprint.split(':');
  const groups = digits.match(new RegExp(`.{1,${LETTERS}}`, 'g')) ?? [];
  const line = (from: number) => groups.slice(from, from + PER_LINE).join(' ');
  return [`${kind} ${line(0)}`, `${' '.repeat(kind.length)} ${line(PER_LINE)}`];
}
