import type { Feature } from '../lifecycle.ts';
import type { OpenAiApiDeps, OpenAiServices } from './openai-services.ts';

/** Models and agents for programs that speak the API of OpenAI; loaded at the first request. */
export function composeOpenAiApi(
  deps: OpenAiApiDeps,
): Feature<{ loadOpenAi: () => Promise<OpenAiServices> }> {
  let loading: Promise<OpenAiServices> | undefined;
  const loadOpenAi = () =>
    (loading ??= import('./openai-services.ts').then(({ openServices }) => openServices(deps)));
  return { services: { loadOpenAi } };
}
