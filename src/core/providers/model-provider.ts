import type { ModelFetch } from '../outbound/model-fetch.ts';
import type { VendorModel } from './resolved-model.ts';

/** The connection to a provider by the current settings. */
export interface Connection {
  /** Empty where no key is needed. */
  apiKey: string;
  /** Without a trailing slash; for Azure with the path of the undated API. */
  baseUrl: string;
  /** False where the base URL is not the vendor's, such as a gateway with the same protocol. */
  isVendorUrl: boolean;
  /** Azure only. */
  apiVersion: string | undefined;
  fetch: ModelFetch;
}

/** The request for a list of models, whose response `readModels` reads. */
export interface ModelList {
  /** Relative to the base URL. */
  path: string;
  /** The parameter that takes the cursor of the next page. */
  cursor?: string;
  /** Where the pages of single models are, if not below the list; relative to the base URL. */
  page?: string;
}

/** A vendor of models, a local runtime or a router. */
export interface ModelProvider {
  /** undefined where each customer has a URL of their own. */
  baseUrl: string | undefined;
  needsKey: boolean;
  /** For requests that name no model; undefined where each customer has names of their own. */
  defaultModel?: string;
  /** Whether its model ids contain slashes, so that a prefix is not the name of a provider. */
  hasSlashesInIds?: true;
  /** Whether it has models that its list leaves out, such as those of dedicated deployments. */
  hasPartialList?: true;
  /** undefined where the vendor has no list of models. */
  list?: ModelList;
  /** A cheap request that needs a valid key, where the list of models does not. */
  healthPath?: string;
  /** The headers that authenticate a request. */
  headers(apiKey: string): Record<string, string>;
  /** Loads the SDK package of the vendor. */
  create(connection: Connection): Promise<(modelId: string) => VendorModel>;
}

/** Whether an Azure API version is dated; the undated API has a path of its own. */
export const isDated = (apiVersion: string | undefined): boolean => /^\d{4}-/.test(apiVersion ?? '');

export const bearer = (apiKey: string): Record<string, string> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
