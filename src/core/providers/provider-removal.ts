import { isBuiltIn, type ProviderName } from '../../contract/providers.ts';
import type { Config } from '../config/config.ts';
import { displayName } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import type { Changer } from './audit-change.ts';
import type { ProviderChanges } from './provider-changes.ts';
import type { ProviderConnections } from './provider-connections.ts';

/** Finds what uses a provider by its name, each as a part of a sentence. */
export type FindUsers = (name: ProviderName) => Promise<string[]>;

/** Removes servers; one that is in use only if it is asked to. */
export class ProviderRemoval {
  readonly #deps: { config: Config; connections: ProviderConnections; changes: ProviderChanges };
  readonly #finders: FindUsers[] = [];
  constructor(deps: { config: Config; connections: ProviderConnections; changes: ProviderChanges }) {
    this.#deps = deps;
  }

  addUsers(find: FindUsers): void {
    this.#finders.push(find);
  }

  /** Returns what used the server, as sentences. */
  async remove(name: ProviderName, changer: Changer, force: boolean): Promise<string[]> {
    this.#deps.connections.require(name, 'not_found');
    if (isBuiltIn(name))
      throw new AppError(
        'wrong_state',
        `${displayName(name)} is built in and cannot be removed. Remove its key: svc providers configure ${name} --forget-key`,
      );
    const isDefault = this.#deps.config.get('chat.defaultProvider') === name;
    const users = (await Promise.all(this.#finders.map((find) => find(name)))).flat();
    const uses = [...(isDefault ? ['it is the default provider'] : []), ...users];
    if (uses.length > 0 && !force)
      throw new AppError(
        'wrong_state',
        `${name} is in use: ${uses.join('; ')}. Remove it nevertheless: svc providers rm ${name} --force`,
      );
    await this.#deps.changes.remove(name, changer);
    return uses.map((use) => `${name} was in use: ${use}.`);
  }
}
