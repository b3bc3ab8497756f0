import type { Experience, Origin } from '../../../contract/experiences.ts';

const DAY_MS = 86_400_000;

/** Marks content that does not come from the user alone. */
export const untrustedMark = 'untrusted: text from an outside source had a part in it';
/** The mark of earlier versions, which stored results of tools still hold. */
const earlierMark = 'not trusted: the text of a stranger had a part in it';

/** Whether a text holds the mark, in its present or its earlier wording. */
export const hasUntrustedMark = (text: string): boolean =>
  text.includes(untrustedMark) || text.includes(earlierMark);

const claimed = 'What an agent did and said of it, which nothing has verified:';

/** Renders an experience for a model: type, origin, age and content. */
export function describeExperience(experience: Experience, now: Date): { head: string; body: string } {
  const { type, origin, createdAt, successScore, intent, solution } = experience;
  const isClaim = origin.verified === false;
  const worked = isClaim ? 'not verified' : `success ${successScore.toFixed(2)}`;
  return {
    head: `${type}, ${describeOrigin(origin)}, ${ageOf(createdAt, now)}, ${worked}`,
    body: [
      `Wanted: ${intent}`,
      isClaim ? claimed : 'What led there:',
      ...solution.map((step) => `- ${step}`),
    ].join('\n'),
  };
}

/** Describes the origin of learned content. */
export function describeOrigin({ kind, taskId, conversationId, trusted }: Origin): string {
  const from = {
    user: 'said by the user',
    task: `learned from the task ${taskId ?? ''}`.trim(),
    conversation: `learned from the conversation ${conversationId ?? ''}`.trim(),
  }[kind];
  return trusted ? from : `${from} (${untrustedMark})`;
}

function ageOf(at: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(at)) / DAY_MS);
  if (days < 1) return 'of today';
  return days === 1 ? '1 day old' : `${days} days old`;
}
