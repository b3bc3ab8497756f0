import { z } from 'zod';
import type { Model, ProviderName } from '../../contract/providers.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { knownModelsOf } from './known-models.ts';

const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const name = optional(z.string().min(1).max(200));
const tokens = optional(z.int().positive());
const words = optional(z.array(z.string()));

/** An entry in the model list of any vendor; each names the fields differently. */
const entrySchema = z.object({
  id: name,
  owned_by: name,
  name,
  type: name,
  display_name: name,
  displayName: name,
  context_window: tokens,
  context_length: tokens,
  max_context_length: tokens,
  max_input_tokens: tokens,
  inputTokenLimit: tokens,
  supported_parameters: words,
  supportedGenerationMethods: words,
  features: words,
  thinking: optional(z.boolean()),
  capabilities: optional(
    z.object({
      completion_chat: optional(z.boolean()),
      function_calling: optional(z.boolean()),
      reasoning: optional(z.boolean()),
    }),
  ),
});
type Entry = z.output<typeof entrySchema>;

const pageSchema = z.object({
  data: optional(z.array(z.unknown())),
  models: optional(z.array(z.unknown())),
  has_more: optional(z.boolean()),
  last_id: name,
  nextPageToken: optional(z.string().max(2000)),
  next_page_token: optional(z.string().max(2000)),
});

export interface ModelPage {
  /** Those that can chat. */
  models: Model[];
  /** The names of all. */
  ids: string[];
  /** Whether the provider takes names that it does not list. */
  isOpen: boolean;
  next: string | undefined;
}

/** Reads the models of one page and the cursor of the next; undefined where the body is not a list. */
export function readModels(provider: ProviderName, body: unknown): ModelPage | undefined {
  const page = safeParse(pageSchema, Array.isArray(body) ? { data: body } : body).data;
  const list = page?.data ?? page?.models;
  if (!page || !list) return undefined;
  const entries = list.flatMap((each) => {
    const { success, data } = safeParse(entrySchema, each);
    const id = success && (data.id ?? data.name)?.replace(/^models\//, '');
    return id ? [{ id, entry: data }] : [];
  });
  return {
    models: entries.flatMap(({ id, entry }) => (isForChat(id, entry) ? [toModel(provider, id, entry)] : [])),
    ids: entries.map(({ id }) => id),
    isOpen: entries.some(isOpenEntry),
    next: nextOf(page),
  };
}

/** A gateway lists patterns such as `*`; llama.cpp answers with the model that it has loaded, whatever the name. */
const isOpenEntry = ({ id, entry }: { id: string; entry: Entry }) =>
  id.includes('*') || entry.owned_by === 'llamacpp';

const nextOf = (page: z.output<typeof pageSchema>) =>
  (page.has_more === true ? page.last_id : undefined) ||
  page.nextPageToken ||
  page.next_page_token ||
  undefined;

/** Names of models for other uses, for vendors that do not report the use. */
const otherUses =
  /embed|whisper|transcri|tts|speech|audio|realtime|live|dall-e|image|moderation|rerank|guard|video|sora|davinci|babbage|^veo-|^lyria-|\bocr\b/i;

function isForChat(id: string, entry: Entry): boolean {
  if (entry.capabilities?.completion_chat !== undefined) return entry.capabilities.completion_chat;
  if (entry.supportedGenerationMethods?.includes('generateContent') === false) return false;
  if (
    entry.type !== undefined &&
    ['embedding', 'image', 'rerank', 'moderation', 'audio'].includes(entry.type)
  )
    return false;
  return !otherUses.test(id);
}

function toModel(provider: ProviderName, id: string, entry: Entry): Model {
  const known = knownModelsOf(provider).find((each) => each.id === id);
  const { capabilities, supported_parameters: parameters, features } = entry;
  const contextWindow =
    entry.context_window ??
    entry.context_length ??
    entry.max_context_length ??
    entry.max_input_tokens ??
    entry.inputTokenLimit ??
    known?.contextWindow;
  const supportsTools =
    capabilities?.function_calling ??
    parameters?.includes('tools') ??
    features?.includes('tools') ??
    known?.supportsTools;
  const supportsReasoning =
    capabilities?.reasoning ??
    parameters?.includes('reasoning') ??
    features?.includes('reasoning') ??
    entry.thinking ??
    known?.supportsReasoning;
  return {
    id,
    provider,
    name: entry.display_name ?? entry.displayName ?? (entry.id === undefined ? id : (entry.name ?? id)),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(supportsTools !== undefined && { supportsTools }),
    ...(supportsReasoning !== undefined && { supportsReasoning }),
  };
}
