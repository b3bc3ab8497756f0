import { z } from 'zod';
import type { Outbound } from '../../outbound/outbound-fetch.ts';
import { defineTool, MAX_OUTPUT, type Tool, ToolFailure } from '../tool.ts';
import { fetchPage, type Page, toToolFailure } from './fetch-page.ts';

const TIMEOUT_MS = 30_000;
/** Leaves room for the heading above the text of a page. */
const MAX_CHARACTERS = MAX_OUTPUT - 5000;

export interface WebFetchDeps {
  /** The outbound fetch, which cannot reach the daemon itself. */
  outbound: Pick<Outbound, 'fetch' | 'check'>;
  timeoutMs?: number;
}

export const webFetchTool = ({ outbound, timeoutMs = TIMEOUT_MS }: WebFetchDeps): Tool =>
  defineTool({
    name: 'web_fetch',
    description:
      'Reads a public web page as text: HTML as Markdown, JSON and plain text as they are. Long pages come in parts: continue with the offset that the output names.',
    input: z.object({
      url: z.string().trim().max(2000).describe('http or https'),
      maxCharacters: z
        .int()
        .min(1)
        .max(MAX_CHARACTERS)
        .default(20_000)
        .describe('The most characters to return'),
      offset: z.int().min(0).default(0).describe('How many characters of the page to skip'),
    }),
    isReadOnly: true,
    danger: 'medium',
    plan: ({ url: requestedUrl, maxCharacters, offset }, { signal }) => {
      const url = URL.parse(requestedUrl);
      if (!url || !['http:', 'https:'].includes(url.protocol))
        throw new ToolFailure('Expected a URL that begins with http:// or https://');
      // Fails before an approval is requested; host names are resolved when the call runs.
      try {
        outbound.check(url.href);
      } catch (error) {
        throw toToolFailure(error, url.href);
      }
      return {
        access: {},
        run: async () => {
          const page = await fetchPage(outbound.fetch, url.href, { signal, timeoutMs });
          const { title, text } = await readPage(page, signal);
          const heading = [...(title === '' ? [] : [`Title: ${title}`]), `URL: ${page.url}`];
          const part = partOf(text, offset, maxCharacters);
          return { content: `${heading.join('\n')}\n${part}`, origin: 'A web page' };
        },
      };
    },
  });

const htmlTypes = ['text/html', 'application/xhtml+xml'];
const textTypes =
  /^text\/|^application\/(?:.+\+)?(?:json|xml)$|^application\/(?:x-)?(?:javascript|ndjson|yaml|toml)$/;

async function readPage({ url, mediaType, body }: Page, signal: AbortSignal) {
  const isHtml =
    mediaType === '' ? /^\s*<(?:!doctype\s+html|html)\b/i.test(body) : htmlTypes.includes(mediaType);
  const isText = isHtml || mediaType === '' || textTypes.test(mediaType);
  if (!isText || body.includes('\0'))
    throw new ToolFailure(
      `${url} is not text${mediaType && ` (${mediaType})`}. Only HTML, JSON and other text can be read.`,
    );
  if (!isHtml) return { title: '', text: body };
  // Loaded on first use to keep the idle daemon small.
  const { htmlToText } = await import('./html-to-text.ts');
  const { title, text } = await htmlToText(body, url, signal);
  return { title: title.slice(0, 300).toWellFormed(), text };
}

/** A part of the text and the offset of the next; does not split surrogate pairs. */
function partOf(text: string, offset: number, maxCharacters: number): string {
  if (text === '') return '\nThe page has no text. It may need a browser that runs scripts.';
  if (offset >= text.length) return `\nThe page ends after ${text.length} characters.`;
  const isHalf = /[\uD800-\uDBFF]/.test(text[offset + maxCharacters - 1] ?? '') && maxCharacters > 1;
  const end = Math.min(text.length, offset + maxCharacters - (isHalf ? 1 : 0));
  const isWhole = offset === 0 && end === text.length;
  const rest = end < text.length ? `; continue with offset ${end}` : '';
  const range = isWhole ? '' : `Characters ${offset} to ${end} of ${text.length}${rest}\n`;
  return `${range}\n${text.slice(offset, end).toWellFormed()}`;
}
