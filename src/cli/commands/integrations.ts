import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** `svc integrations`. */
export function fillIntegrations(_command: Command, _cli: Cli): void {}
