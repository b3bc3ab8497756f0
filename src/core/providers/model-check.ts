import { closestOf } from '../../contract/closest.ts';
import type { ProviderName } from '../../contract/providers.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import type { Config } from '../config/config.ts';
import { displayName } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import { fetchFromProvider, VendorResponseError } from './fetch-from-provider.ts';
import { knownModelsOf } from './known-models.ts';
import { chooseModel, type ModelRequest } from './model-choice.ts';
import type { ListedModels, ModelListing } from './model-listing.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { definitionOf } from './provider-list.ts';

const TIMEOUT_MS = 3000;
const FRESH_MS = 5 * 60_000;

/** What a provider says of the name of a model; `message` is a sentence for people. */
export type Verdict = { kind: 'known' } | { kind: 'unknown' | 'unchecked'; message: string };
const known: Verdict = { kind: 'known' };

export interface ModelCheckDeps {
  config: Config;
  connections: ProviderConnections;
  listing: ModelListing;
  /** The message of an error of a provider, without secrets. */
  explain: (name: ProviderName, error: unknown) => string;
}

/**
 * Checks names of models before they are used. A name is unknown only if the provider says so twice: its list does not
 * have it, and neither is there a page for it, which also knows aliases. Everything else is accepted.
 */
export class ModelCheck {
  readonly #deps: ModelCheckDeps;
  constructor(deps: ModelCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Throws an `AppError` where the provider is not known or has no such model; returns a warning where that could not be
   * checked.
   */
  async require(request: ModelRequest): Promise<string | undefined> {
    const { config, connections } = this.#deps;
    const { provider, modelId } = chooseModel(request, config, connections);
    connections.of(provider);
    // The administrator's own choice is always accepted.
    if (request.model === undefined || modelId === undefined) return undefined;
    if (modelId === connections.defaultModel(provider)) return undefined;
    const verdict = await this.verdictOf(provider, modelId);
    if (verdict.kind === 'known') return undefined;
    if (verdict.kind === 'unchecked') return verdict.message;
    const { message } = verdict;
    throw new AppError('validation', message, { details: [{ path: 'model', message }] });
  }

  /** What the provider says of the model, within a few seconds. */
  async verdictOf(provider: ProviderName, modelId: string): Promise<Verdict> {
    const { listing } = this.#deps;
    if (knownModelsOf(provider).some(({ id }) => id === modelId)) return known;
    const recent = listing.recent(provider, FRESH_MS);
    if (recent && accepts(recent, provider, modelId)) return known;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const listed = await unlessAborted(listing.of(provider), signal);
      if (accepts(listed, provider, modelId)) return known;
      if (listed.source === 'list')
        return unchecked(modelId, `${displayName(provider)} does not list its models`);
      if (await this.#hasPage(provider, modelId, signal)) return known;
      if (definitionOf(provider).hasPartialList)
        return unchecked(modelId, `${displayName(provider)} lists only a part of its models`);
      return { kind: 'unknown', message: unknownText(provider, modelId, listed) };
    } catch (error) {
      return unchecked(modelId, this.#deps.explain(provider, error).replace(/\.$/, ''));
    }
  }

  /** Whether the provider describes the model under this name. */
  async #hasPage(provider: ProviderName, modelId: string, signal: AbortSignal): Promise<boolean> {
    const definition = definitionOf(provider);
    const path = definition.list?.page ?? definition.list?.path.split('?')[0] ?? '/models';
    if (/^\.+$/.test(modelId)) return false;
    try {
      const body = await fetchFromProvider(
        definition,
        this.#deps.connections.of(provider),
        `${path}/${encodeURIComponent(modelId)}`,
        signal,
      );
      return isPage(body);
    } catch (error) {
      // Not every server has such pages; what it answers else says nothing about the model.
      if (error instanceof VendorResponseError && saysNo.includes(error.statusCode)) return false;
      throw error;
    }
  }
}

const saysNo = [200, 400, 404, 405, 501];

const isPage = (body: unknown) =>
  typeof body === 'object' && body !== null && ('id' in body || 'name' in body) && !('data' in body);

/** Whether the list has the model, under any of its spellings, or says nothing about it. */
function accepts({ ids, isOpen, source }: ListedModels, provider: ProviderName, modelId: string): boolean {
  const id = modelId.replace(/^models\//, '');
  if (source === 'list') return ids.length === 0 || ids.includes(id);
  if (isOpen || ids.length === 0) return true;
  // Models of customers have names of their own, such as tunedModels/x at Google.
  if (id.includes('/') && !definitionOf(provider).hasSlashesInIds) return true;
  if (provider === 'openrouter' && id.startsWith('@')) return true;
  const spellings = [id, `${id}:latest`, ...(provider === 'openrouter' ? [id.replace(/:[a-z]+$/, '')] : [])];
  return spellings.some((spelling) => ids.includes(spelling));
}

const unchecked = (modelId: string, reason: string): Verdict => ({
  kind: 'unchecked',
  message: `${reason}, so the model "${modelId}" was not checked.`,
});

function unknownText(provider: ProviderName, modelId: string, { models }: ListedModels): string {
  const near = closestOf(
    modelId,
    models.map(({ id }) => id),
  );
  const meant = near.length > 1 ? `${near.slice(0, -1).join(', ')} or ${near.at(-1)}` : near[0];
  const hint =
    meant === undefined ? `See its models: svc providers models ${provider}` : `Did you mean ${meant}?`;
  return `${modelId} is not a model of ${provider}. ${hint}`;
}
