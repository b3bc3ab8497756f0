/** Scripts whose characters take about one token each. */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a text, close enough to decide whether it fits into a model's context window. */
export function estimateTokens(text: string): number {
  const thin = text.replace(dense, '').length;
  const denseCount = thin === text.length ? 0 : (text.match(dense)?.length ?? 0);
  return denseCount + Math.ceil(thin / CHARACTERS_PER_TOKEN);
}

/** The end of a text that takes at most `tokens`. */
export function lastTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (estimateTokens(text.slice(middle)) <= tokens) high = middle;
    else low = middle + 1;
  }
  return text.slice(low).replace(/^[\uDC00-\uDFFF]/, '');
}

/** The newest messages that take at most `tokens` together; always includes the last one. */
export function newestThatFit<T extends { content: string }>(messages: readonly T[], tokens: number): T[] {
  let [first, left] = [messages.length, tokens];
  for (const message of messages.toReversed()) {
    left -= estimateMessage(message);
    if (left < 0 && first < messages.length) break;
    first--;
  }
  return messages.slice(first);
}

/** The overhead that vendors add to each message. */
const TOKENS_PER_MESSAGE = 4;
const estimateMessage = ({ content }: { content: string }): number =>
  estimateTokens(content) + TOKENS_PER_MESSAGE;
export const estimateMessages = (messages: readonly { content: string }[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

/** Used when the context window of a model is unknown. */
const DEFAULT_WINDOW = 32_000;
/** Leaves a margin: the estimate is not exact, and vendors count more than the text. */
const USABLE_SHARE = 0.8;
const REPLY_TOKENS = 4096;

/** The tokens that a prompt may take, so that the answer still fits into the model's context window. */
export const promptBudget = ({
  contextWindow: window = DEFAULT_WINDOW,
}: {
  contextWindow: number | undefined;
}): number => Math.floor(window * USABLE_SHARE - Math.min(REPLY_TOKENS, window / 4));
