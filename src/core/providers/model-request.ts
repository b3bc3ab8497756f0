import type { Prompt } from './prompt.ts';
import type { VendorModel } from './resolved-model.ts';

export interface RequestOptions {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}
export type ModelRequest = Parameters<VendorModel['doStream']>[0];
type Message = ModelRequest['prompt'][number];

/** What the package of a vendor takes, of which it makes the vendor's own request. */
export function toModelRequest(
  { instructions, turns }: Prompt,
  { temperature, maxTokens }: RequestOptions,
  abortSignal: AbortSignal,
): ModelRequest {
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const said = turns.map(({ role, content }): Message => ({
    role,
    content: [{ type: 'text', text: content }],
  }));
  return {
    prompt: [...system, ...said],
    abortSignal,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
