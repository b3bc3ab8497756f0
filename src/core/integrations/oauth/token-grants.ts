import type { AuthorizationServer, Client, CustomFetchOptions, TokenEndpointResponse } from 'oauth4webapi';
import type { OAuthCallback } from '../../../contract/oauth.ts';
import type { Vendor } from '../../../contract/vendors.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { Runtime } from '../../runtime.ts';
import { clientOf, type OAuthClient, type OAuthProvider } from './oauth-providers.ts';
import { askVendor } from '../../outbound/vendor-requests.ts';

export interface TokenSet {
  accessToken: string;
  refreshToken: string | undefined;
  /** Undefined if the token is valid until it is revoked. */
  expiresAt: string | undefined;
  /** The granted scopes, if the vendor reports them. */
  scopes: string[] | undefined;
}

export interface CodeExchange {
  callback: OAuthCallback;
  state: string;
  redirectUri: string;
  codeVerifier: string;
}

/** The error codes for an unknown client. */
const wrongClient = ['invalid_client', 'incorrect_client_credentials', 'access_denied'];
const vendorFaults = ['server_error', 'temporarily_unavailable', 'slow_down'];

/** Longer lifetimes do not fit a date. */
const CENTURY_S = 100 * 365 * 86_400;

// Loaded at the first flow: most daemons never start one.
const load = () => import('oauth4webapi');
type Library = Awaited<ReturnType<typeof load>>;

/** Gets tokens from the vendors' token endpoints. Its errors never carry what was sent or received. */
export class TokenGrants {
  readonly #deps: { config: Config; fetch: OutboundFetch; runtime: Runtime };
  constructor(deps: { config: Config; fetch: OutboundFetch; runtime: Runtime }) {
    this.#deps = deps;
  }

  /** S256 of RFC 7636. */
  async challengeOf(codeVerifier: string): Promise<string> {
    return (await load()).calculatePKCECodeChallenge(codeVerifier);
  }

  /** Exchanges the authorization code for tokens. */
  exchange(name: Vendor, { callback, state, redirectUri, codeVerifier }: CodeExchange): Promise<TokenSet> {
    return this.#grant(name, async ({ library, server, client, provider, auth, options }) => {
      const parameters = validCallback({ library, server, client, provider }, callback, state);
      const request = [server, client, auth, parameters, redirectUri, codeVerifier, options] as const;
      const response = await library.authorizationCodeGrantRequest(...request);
      return library.processAuthorizationCodeResponse(server, client, response);
    });
  }

  /** Exchanges a refresh token for new tokens; most vendors accept it once. */
  refresh(name: Vendor, refreshToken: string): Promise<TokenSet> {
    return this.#grant(name, async ({ library, server, client, auth, options }) => {
      const response = await library.refreshTokenGrantRequest(server, client, auth, refreshToken, options);
      return library.processRefreshTokenResponse(server, client, response);
    });
  }

  async #grant(name: Vendor, request: (means: Means) => Promise<TokenEndpointResponse>): Promise<TokenSet> {
    const { config, fetch, runtime } = this.#deps;
    const client = clientOf(config, name);
    const library = await load();
    try {
      const tokens = await request(meansOf(library, client, fetch));
      const { expires_in: seconds } = tokens;
      return {
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        expiresAt:
          seconds === undefined
            ? undefined
            : new Date(runtime.now().getTime() + Math.min(seconds, CENTURY_S) * 1000).toISOString(),
        scopes: tokens.scope?.split(/[ ,]+/).filter(Boolean),
      };
    } catch (error) {
      throw translate(library, client.provider, error);
    }
  }
}

interface Means {
  library: Library;
  provider: OAuthProvider;
  server: AuthorizationServer;
  client: Client;
  auth: ReturnType<Library['ClientSecretPost']>;
  options: object;
}

function meansOf(library: Library, client: OAuthClient, fetch: OutboundFetch): Means {
  const { provider, clientId, clientSecret, authorizeUrl, tokenUrl } = client;
  return {
    library,
    provider,
    server: { issuer: provider.issuer?.(authorizeUrl) ?? authorizeUrl, token_endpoint: tokenUrl },
    client: { client_id: clientId },
    auth: library.ClientSecretPost(clientSecret),
    options: {
      // The outbound rules decide which addresses are allowed; an enterprise server may have no certificate.
      [library.allowInsecureRequests]: true,
      [library.customFetch]: (url: string, { headers, body }: CustomFetchOptions<'POST', URLSearchParams>) =>
        askTokenEndpoint(provider, url, headers, body, fetch),
    },
  };
}

/** Adapts the answers of vendors to what the library and RFC 6749 expect. */
async function askTokenEndpoint(
  { vendor, tokenRequest }: OAuthProvider,
  url: string,
  headers: Record<string, string>,
  parameters: URLSearchParams,
  fetch: OutboundFetch,
): Promise<Response> {
  const isJson = tokenRequest === 'json';
  const { status, body } = await askVendor(fetch, vendor, url, {
    method: 'POST',
    headers: isJson ? { ...headers, 'content-type': 'application/json' } : headers,
    body: isJson ? JSON.stringify(Object.fromEntries(parameters)) : parameters.toString(),
  });
  // Tokens come with 200, refusals with 400 or 401, at Atlassian with 403; anything else is not the token endpoint.
  if (status !== 200 && (status < 400 || status > 403))
    throw new AppError('unavailable', `${vendor} answered ${status} at its token URL`);
  const answer = { ...(body as Record<string, unknown> | undefined) };
  // Atlassian leaves the type out at times.
  answer['token_type'] ??= 'bearer';
  // Linear gives a list to apps made before 2024.
  if (Array.isArray(answer['scope'])) answer['scope'] = answer['scope'].join(' ');
  // GitHub reports errors with status 200.
  const isError = typeof answer['error'] === 'string' && status === 200;
  return Response.json(answer, { status: isError ? 400 : status });
}

/** Checks the callback: state, issuer and errors. */
function validCallback(
  { library, server, client, provider }: Omit<Means, 'auth' | 'options'>,
  { code, state, iss, error }: OAuthCallback,
  expectedState: string,
): URLSearchParams {
  const parameters = { code, state, error, iss: provider.issuer ? iss : undefined };
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  try {
    return library.validateAuthResponse(server, client, new URLSearchParams(given), expectedState);
  } catch (error) {
    if (error instanceof library.AuthorizationResponseError) throw error;
    throw new AppError('forbidden', `This answer was not sent by ${provider.vendor}`);
  }
}

/** The library's errors hold requests and answers, so nothing of them is passed on but the code. */
function translate(library: Library, { name, vendor }: OAuthProvider, error: unknown): unknown {
  if (error instanceof library.AuthorizationResponseError)
    return new AppError(
      'forbidden',
      error.error === 'access_denied'
        ? `${vendor} gave no access: it was declined`
        : `${vendor} gave no access (${safeCode(error.error)})`,
    );
  if (error instanceof library.OperationProcessingError || error instanceof library.UnsupportedOperationError)
    return new AppError('unavailable', `${vendor} gave an answer that is not OAuth`);
  if (!(error instanceof library.ResponseBodyError)) return error;
  if (wrongClient.includes(error.error))
    return new AppError(
      'configuration',
      `${vendor} does not take the client id and secret of this daemon: svc config set integrations.${name}.clientSecret <value>`,
    );
  if (vendorFaults.includes(error.error))
    return new AppError('unavailable', `${vendor} answered ${error.error}. Try again later.`);
  return new AppError(
    'unauthenticated',
    `${vendor} did not take the code (${safeCode(error.error)}). Start again.`,
  );
}

const safeCode = (code: string) => (/^[a-z_]{1,60}$/.test(code) ? code : 'unknown error');
