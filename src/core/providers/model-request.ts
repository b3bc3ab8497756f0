import type { Prompt } from './prompt.ts';
import type { VendorModel } from './resolved-model.ts';

export interface RequestOptions {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}
export type ModelRequest = Parameters<VendorModel['doStream']>[0];
type Message = ModelRequest['prompt'][number];

/** Builds the call options for the package of a vendor. */
export function toModelRequest(
  { instructions, turns }: Prompt,
  { temperature, maxTokens }: RequestOptions,
  abortSignal: AbortSignal,
): ModelRequest {
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const conversation = turns.map(({ role, content }): Message => ({
    role,
    content: [{ type: 'text', text: content }],
  }));
  return {
    prompt: [...system, ...conversation],
    abortSignal,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
