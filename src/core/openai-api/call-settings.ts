import type { ProviderName } from '../../contract/providers.ts';
import type { CallRequest } from '../providers/model-request.ts';

export interface OfferedFunction {
  name: string;
  description?: string | null | undefined;
  parameters?: Record<string, unknown> | null | undefined;
  strict?: boolean | null | undefined;
}
export interface WantedFormat {
  name?: string | null | undefined;
  description?: string | null | undefined;
  schema?: Record<string, unknown> | null | undefined;
  strict?: boolean | null | undefined;
}
/** How a model is asked, whichever way the request says it. */
export interface CallSettings {
  temperature?: number | null | undefined;
  topP?: number | null | undefined;
  maxTokens?: number | null | undefined;
  stop?: readonly string[] | undefined;
  seed?: number | null | undefined;
  frequencyPenalty?: number | null | undefined;
  presencePenalty?: number | null | undefined;
  effort?: CallRequest['reasoning'] | null | undefined;
  tools?: readonly OfferedFunction[] | null | undefined;
  toolChoice?: 'none' | 'auto' | 'required' | { name: string } | null | undefined;
  parallelCalls?: boolean | null | undefined;
  /** `json` for any object. */
  format?: 'json' | WantedFormat | undefined;
}

type Tool = NonNullable<CallRequest['tools']>[number];
type Format = NonNullable<CallRequest['responseFormat']>;
type JsonSchema = NonNullable<Extract<Format, { type: 'json' }>['schema']>;

/** The settings in the terms of the packages of the vendors; what is null is left to the provider. */
export function toCallSettings(settings: CallSettings): Omit<CallRequest, 'prompt'> {
  const { temperature, topP, maxTokens, stop, seed, frequencyPenalty, presencePenalty, effort } = settings;
  const { tools, toolChoice, parallelCalls, format } = settings;
  const isStrict = typeof format === 'object' && format.schema ? (format.strict ?? false) : undefined;
  const providerOptions = optionsOfPackages({ isStrict, parallelCalls: parallelCalls ?? undefined });
  return {
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { topP }),
    ...(typeof maxTokens === 'number' && { maxOutputTokens: maxTokens }),
    ...(stop && stop.length > 0 && { stopSequences: [...stop] }),
    ...(typeof seed === 'number' && { seed }),
    ...(typeof frequencyPenalty === 'number' && { frequencyPenalty }),
    ...(typeof presencePenalty === 'number' && { presencePenalty }),
    ...(effort && { reasoning: effort }),
    ...(tools && tools.length > 0 && { tools: tools.map(toTool) }),
    ...(toolChoice && { toolChoice: toToolChoice(toolChoice) }),
    ...(format !== undefined && { responseFormat: toFormat(format) }),
    ...(providerOptions && { providerOptions }),
  };
}

const toTool = ({ name, description, parameters, strict }: OfferedFunction): Tool => ({
  type: 'function',
  name,
  inputSchema: (parameters ?? { type: 'object', properties: {} }) as JsonSchema,
  ...(description && { description }),
  ...(typeof strict === 'boolean' && { strict }),
});

const toToolChoice = (
  choice: NonNullable<CallSettings['toolChoice']>,
): NonNullable<CallRequest['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };

function toFormat(format: NonNullable<CallSettings['format']>): Format {
  if (format === 'json') return { type: 'json' };
  const { name, description, schema } = format;
  return {
    type: 'json',
    ...(schema && { schema: schema as JsonSchema }),
    ...(name && { name }),
    ...(description && { description }),
  };
}

/** The packages with these options, each under its own name; every other package ignores them. */
const packages = ['openai', 'azure', 'groq', 'mistral', 'xai', 'openaiCompatible'];

interface PackageOptions {
  isStrict: boolean | undefined;
  parallelCalls: boolean | undefined;
}

function optionsOfPackages({ isStrict, parallelCalls }: PackageOptions): CallRequest['providerOptions'] {
  const options = {
    ...(isStrict !== undefined && { strictJsonSchema: isStrict }),
    ...(parallelCalls !== undefined && { parallelToolCalls: parallelCalls }),
  };
  if (Object.keys(options).length === 0) return undefined;
  return {
    ...Object.fromEntries(packages.map((name) => [name, options])),
    ...(parallelCalls === false && { anthropic: { disableParallelToolUse: true } }),
  };
}

/** The request for one provider: the package of compatible servers passes on what stands under the name of the server. */
export function forProvider(request: CallRequest, provider: ProviderName): CallRequest {
  const { providerOptions } = request;
  const parallel = providerOptions?.['openaiCompatible']?.['parallelToolCalls'];
  if (parallel === undefined || providerOptions?.[provider]) return request;
  return {
    ...request,
    providerOptions: { ...providerOptions, [provider]: { parallel_tool_calls: parallel } },
  };
}
