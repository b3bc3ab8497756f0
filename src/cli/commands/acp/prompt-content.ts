import { fileURLToPath } from 'node:url';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import { type Attachment, attach } from '../../../contract/attachments.ts';

/** The message that the blocks of a prompt make: embedded texts are attached, links stand where they are. */
export function promptText(blocks: readonly ContentBlock[], cwd: string | undefined): string {
  const attachments: Attachment[] = [];
  const parts = blocks.map((block) => {
    if (block.type === 'text') return block.text;
    if (block.type === 'resource_link') return quoted(pathOf(block.uri, cwd));
    if (block.type === 'resource' && 'text' in block.resource) {
      const { uri, text } = block.resource;
      const name = pathOf(uri, cwd);
      attachments.push({ name, kind: 'file', text });
      return quoted(name);
    }
    throw new RequestError(-32602, `A prompt cannot contain ${nouns[block.type]}. Send text or a link.`);
  });
  const message = parts.join('').trim();
  if (message === '') throw new RequestError(-32602, 'The prompt is empty');
  return attach(message, attachments);
}

const nouns: Record<Exclude<ContentBlock['type'], 'text' | 'resource_link'>, string> = {
  image: 'images',
  audio: 'audio',
  resource: 'binary resources',
};

const quoted = (name: string) => `\`${name.replaceAll('`', "'")}\``;

/** The path that a URI names, relative to the directory of the session where it is below it; any other URI as it is. */
function pathOf(uri: string, cwd: string | undefined): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    const { hash, href } = new URL(uri);
    const path = fileURLToPath(href.slice(0, href.length - hash.length));
    return (cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path) + hash;
  } catch {
    // A URI of another machine, or none at all, is text for the model.
    return uri;
  }
}
