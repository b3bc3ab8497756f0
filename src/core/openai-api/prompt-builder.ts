import type { VendorMessage } from '../providers/model-request.ts';
import { requestRefused } from './request-refused.ts';

type MessageOf<R extends VendorMessage['role']> = Extract<VendorMessage, { role: R }>;
type UserPart = MessageOf<'user'>['content'][number];
type AssistantPart = MessageOf<'assistant'>['content'][number];
type ToolResult = Extract<MessageOf<'tool'>['content'][number], { type: 'tool-result' }>;

export interface PromptCall {
  id: string;
  name: string;
  /** JSON, or what the model wrote in its place. */
  arguments: string;
  thoughtSignature?: string | null | undefined;
}

/**
 * Builds a prompt for the package of any vendor. All system texts become one at the start, and what one speaker says in
 * several messages one message: some vendors refuse anything else.
 */
export class PromptBuilder {
  readonly #system: string[] = [];
  readonly #messages: VendorMessage[] = [];
  /** The names of the tools that were called, by the ID of the call. */
  readonly #called = new Map<string, string>();

  system(text: string): void {
    if (text.trim() !== '') this.#system.push(text);
  }

  user(parts: readonly UserPart[]): void {
    const said = parts.filter((part) => part.type !== 'text' || part.text !== '');
    const last = this.#messages.at(-1);
    if (last?.role === 'user') last.content.push(...said);
    else if (said.length > 0) this.#messages.push({ role: 'user', content: said });
  }

  assistant(texts: readonly string[], calls: readonly PromptCall[]): void {
    const said: AssistantPart[] = texts
      .filter((text) => text !== '')
      .map((text): AssistantPart => ({ type: 'text', text }));
    for (const { id, name, arguments: json, thoughtSignature } of calls) {
      this.#called.set(id, name);
      said.push({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: parseArguments(json),
        ...(thoughtSignature && { providerOptions: { google: { thoughtSignature } } }),
      });
    }
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') last.content.push(...said);
    else if (said.length > 0) this.#messages.push({ role: 'assistant', content: said });
  }

  /** The result of a call that the assistant made before; `param` names the field that holds the ID. */
  result(callId: string, text: string, param: string): void {
    const toolName = this.#called.get(callId);
    if (toolName === undefined)
      throw requestRefused(param, `No earlier message of the assistant has a call with the ID "${callId}"`);
    const result: ToolResult = {
      type: 'tool-result',
      toolCallId: callId,
      toolName,
      output: { type: 'text', value: text },
    };
    const last = this.#messages.at(-1);
    if (last?.role === 'tool') last.content.push(result);
    else this.#messages.push({ role: 'tool', content: [result] });
  }

  /** The whole prompt; throws where it has nothing to answer. */
  build(param: string): VendorMessage[] {
    if (this.#messages.length === 0) throw requestRefused(param, 'Expected a message that is not empty');
    if (this.#system.length === 0) return this.#messages;
    return [{ role: 'system', content: this.#system.join('\n\n') }, ...this.#messages];
  }
}

/** Models sometimes write arguments that are no JSON; the vendor decides about those. */
function parseArguments(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
