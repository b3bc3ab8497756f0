import type { Prompt } from './prompt.ts';
import type { VendorModel } from './resolved-model.ts';

export interface RequestOptions {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}
/** What the package of a vendor is called with. */
export type ModelRequest = Parameters<VendorModel['doStream']>[0];
/** The same without the signal, which each call has of its own. */
export type CallRequest = Omit<ModelRequest, 'abortSignal'>;
/** A message of a prompt, as the packages take it. */
export type VendorMessage = ModelRequest['prompt'][number];

/** Builds the request for the package of a vendor. */
export function toModelRequest(
  { instructions, turns }: Prompt,
  { temperature, maxTokens }: RequestOptions,
): CallRequest {
  const system: VendorMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const conversation = turns.map(({ role, content }): VendorMessage => ({
    role,
    content: [{ type: 'text', text: content }],
  }));
  return {
    prompt: [...system, ...conversation],
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  };
}
