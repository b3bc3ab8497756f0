import { readFileSync } from 'node:fs';
import type { Config } from '../../core/config/config.ts';
import { type ConnectionLimits, RESERVE } from './connections.ts';

/** Files, programs and requests of the daemon itself need descriptors too. */
const OWN_FILES = 256;
const LEAST = 16;

/** The limits by the settings, and by how many files the system lets this process open. */
export function connectionLimits(
  config: Config,
  maxFiles: number = maxOpenFiles(),
): Pick<ConnectionLimits, 'max' | 'perAddress' | 'trustedProxies'> {
  const room = Math.max(LEAST, maxFiles - OWN_FILES - RESERVE);
  return {
    max: Math.min(config.get('server.maxConnections'), room),
    perAddress: config.get('server.maxConnectionsPerAddress'),
    trustedProxies: config.get('server.trustedProxies'),
  };
}

/** On Linux from /proc/self/limits (proc(5)); elsewhere the settings alone decide. */
export function maxOpenFiles(read: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(read()) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
