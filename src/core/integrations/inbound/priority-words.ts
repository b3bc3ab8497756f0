type Priority = 1 | 2 | 3 | 4;

const words = new Map<string, Priority>([
  ...(['p0', 'critical', 'urgent', 'blocker', 'highest'] as const).map((word) => [word, 1] as const),
  ...(['p1', 'high', 'major'] as const).map((word) => [word, 2] as const),
  ...(['p2', 'medium', 'normal'] as const).map((word) => [word, 3] as const),
  ...(['p3', 'p4', 'low', 'lowest', 'minor', 'trivial'] as const).map((word) => [word, 4] as const),
]);
/** Words that labels also use for other things, such as the size of a change. */
const wordsOfOthers = new Set(['major', 'minor', 'trivial', 'normal']);
const topics = new Set(['priority', 'prio', 'severity', 'urgency', 'importance']);

/** The priority for a vendor's priority name, such as Jira's. */
export function priorityOfName(name: string | undefined): Priority | undefined {
  if (name === undefined) return undefined;
  const found = wordsOf(name).map((word) => words.get(word));
  return found.every((priority) => priority !== undefined) ? mostUrgent(found) : undefined;
}

/** The most urgent priority among the labels: `priority: high`, `P1`, `urgent`; not `low-hanging fruit`. */
export const priorityOfLabels = (labels: readonly string[]): Priority | undefined =>
  mostUrgent(labels.map(priorityOfLabel).filter((priority) => priority !== undefined));

function priorityOfLabel(label: string): Priority | undefined {
  const all = wordsOf(label);
  const others = all.filter((word) => !topics.has(word));
  const hasTopic = others.length < all.length;
  if (hasTopic && others.length === 1 && /^[0-4]$/.test(others[0] ?? ''))
    return Math.max(1, Number(others[0])) as Priority;
  if (!hasTopic && others.some((word) => wordsOfOthers.has(word))) return undefined;
  return priorityOfName(others.join(' '));
}

/** The priority that the rules assign to one of the texts, or to a word in one. */
export const priorityOfRules = (
  priorities: ReadonlyMap<string, Priority>,
  texts: readonly string[],
): Priority | undefined =>
  mostUrgent(
    [...priorities]
      .filter(([wanted]) =>
        texts.some((text) => text.toLowerCase() === wanted || wordsOf(text).includes(wanted)),
      )
      .map(([, priority]) => priority),
  );

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/:[a-z_]+:/g, ' ')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const mostUrgent = (priorities: readonly Priority[]): Priority | undefined =>
  priorities.length > 0 ? (Math.min(...priorities) as Priority) : undefined;
