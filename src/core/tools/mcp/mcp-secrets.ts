import type { McpServerSettings } from '../../config/tool-settings.ts';

/** Shorter ones are part of too many words. */
const MIN_LENGTH = { all: 4, sure: 6 };
const soundsSecret = /key|token|secret|pass|auth|credential|cookie|session/i;

/** The secrets in the settings of a server, with the parts of those such as `Bearer TOKEN`. */
export interface McpSecrets {
  /** Everything that may be one. */
  all: string[];
  /** What surely is one: taken out of results, too, where a mere setting such as the name of a region may stand. */
  sure: string[];
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
    sure: values(MIN_LENGTH.sure, (name) => isHttp || soundsSecret.test(name)),
  };
}

/** The text without the secrets. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '••••'), text);
