import type { McpServerSettings } from '../../config/tool-settings.ts';

/** Shorter values occur in too many words. */
const MIN_LENGTH = { all: 4, definite: 6 };
const secretName = /key|token|secret|pass|auth|credential|cookie|session/i;

/** The secrets in the settings of a server, including the parts of values such as `Bearer TOKEN`. */
export interface McpSecrets {
  /** All values that may be secret. */
  all: string[];
  /** Values that are secret for sure. Only these are redacted in results, where a setting such as a region may appear. */
  definite: string[];
}

export function secretsOf(settings: McpServerSettings): McpSecrets {
  const isHttp = 'url' in settings;
  const entries = Object.entries(isHttp ? settings.headers : settings.env);
  const values = (minLength: number, filter: (name: string) => boolean) =>
    entries
      .filter(([name]) => filter(name))
      .flatMap(([, value]) => [value, ...value.split(/\s+/)])
      .filter((value) => value.length >= minLength)
      .sort((one, other) => other.length - one.length);
  return {
    all: values(MIN_LENGTH.all, () => true),
    definite: values(MIN_LENGTH.definite, (name) => isHttp || secretName.test(name)),
  };
}

/** Redacts the secrets in a text. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '••••'), text);
