import type { ModelFetch } from '../outbound/model-fetch.ts';
import type { VendorModel } from './resolved-model.ts';

/** How a provider is reached, as the settings say now. */
export interface Connection {
  /** Empty where none is needed. */
  apiKey: string;
  /** Without a slash at its end; of Azure with the path of the API without a date. */
  baseUrl: string;
  /** False where the base URL leads to somebody else, such as a gateway that speaks the vendor's protocol. */
  isVendors: boolean;
  /** Azure only. */
  apiVersion: string | undefined;
  fetch: ModelFetch;
}

/** Asks for a list of models; the answers differ only in names, which `readModels` knows. */
export interface ModelList {
  /** Behind the base URL. */
  path: string;
  /** The parameter that takes the cursor of the next page. */
  cursor?: string;
}

/** A vendor of models, a local runtime or a router. */
export interface ModelProvider {
  /** undefined where each customer has an address of their own. */
  baseUrl: string | undefined;
  needsKey: boolean;
  /** For requests that name none; undefined where only the customer knows the names. */
  defaultModel?: string;
  /** Its model ids hold slashes themselves, so that one never is the name of a provider. */
  hasSlashesInIds?: true;
  /** undefined where the vendor tells nobody which models there are. */
  list?: ModelList;
  /** A cheap request behind the base URL that only a valid key may make, where the list is none. */
  healthPath?: string;
  /** What makes a request the customer's. */
  headers(apiKey: string): Record<string, string>;
  /** Loads the package of the vendor. */
  create(connection: Connection): Promise<(modelId: string) => VendorModel>;
}

/** Azure has dated versions of its API, and one without a date at a path of its own. */
export const isDated = (apiVersion: string | undefined): boolean => /^\d{4}-/.test(apiVersion ?? '');

export const bearer = (apiKey: string): Record<string, string> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
