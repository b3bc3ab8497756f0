import { networkInterfaces } from 'node:os';
import { canonicalAddress } from './address-rules.ts';

/** Where this daemon answers: its port on every address of this machine, and its public URL. */
export class OwnAddress {
  /** The port that is listened on; undefined before that. */
  port: number | undefined;
  readonly #baseUrl: () => string | undefined;
  constructor(baseUrl: () => string | undefined) {
    this.#baseUrl = baseUrl;
  }

  /** Whether a request there could reach this daemon, depending on the address that its host has. */
  hasPort(url: URL): boolean {
    return this.port !== undefined && portOf(url) === this.port;
  }

  /** Whether this is the name under which others know this daemon. */
  isPublicName(url: URL): boolean {
    const given = this.#baseUrl();
    const base = given === undefined ? null : URL.parse(given);
    return (
      base !== null && nameOf(url) === nameOf(base) && (portOf(url) === portOf(base) || this.hasPort(url))
    );
  }

  /** Whether an address is one of this machine. */
  isHere(address: string): boolean {
    const plain = canonicalAddress(address);
    if (/^(127|0)\./.test(plain) || plain === '::1' || plain === '::') return true;
    const known = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    return known.some((one) => canonicalAddress(one.address) === plain);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));
const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');
