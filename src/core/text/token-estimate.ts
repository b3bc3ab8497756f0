/** Scripts whose characters come to about one token each. */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;
const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a text comes to, near enough to tell whether it fits into a model's window. */
export function estimateTokens(text: string): number {
  const thin = text.replace(dense, '').length;
  const denseCount = thin === text.length ? 0 : (text.match(dense)?.length ?? 0);
  return denseCount + Math.ceil(thin / CHARACTERS_PER_TOKEN);
}

/** The end of a text that comes to at most `tokens`. */
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

/** The last of the messages that come to at most `tokens` together; always the very last one. */
export function newestThatFit<T extends { content: string }>(messages: readonly T[], tokens: number): T[] {
  let [first, left] = [messages.length, tokens];
  for (const message of messages.toReversed()) {
    left -= estimateMessage(message);
    if (left < 0 && first < messages.length) break;
    first--;
  }
  return messages.slice(first);
}

/** What a vendor puts around each message. */
const TOKENS_PER_MESSAGE = 4;
const estimateMessage = ({ content }: { content: string }): number =>
  estimateTokens(content) + TOKENS_PER_MESSAGE;
export const estimateMessages = (messages: readonly { content: string }[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

/** Where nobody says how much a model takes. */
const USUAL_WINDOW = 32_000;
/** The estimate is not exact, and vendors count more than the text. */
const USED_PART = 0.8;
const REPLY_TOKENS = 4096;

/** Tokens that a prompt may come to, so that an answer has room in the model's window too. */
export const roomOf = ({
  contextWindow: window = USUAL_WINDOW,
}: {
  contextWindow: number | undefined;
}): number => Math.floor(window * USED_PART - Math.min(REPLY_TOKENS, window / 4));
