import type { Feature, Lifecycles } from './lifecycle.ts';

/** Features in dependency order: each is composed from the services of those above it, and its lifecycle joins the list. */
export class Composition<Services extends object> {
  readonly #lifecycles: Lifecycles;
  /** Everything that the features so far offer; rejects when one of them could not be composed. */
  readonly services: Promise<Services>;

  constructor(services: Services | Promise<Services>, lifecycles: Lifecycles) {
    this.services = Promise.resolve(services);
    this.#lifecycles = lifecycles;
  }

  add<Added extends object>(
    compose: (services: Services) => Feature<Added> | Promise<Feature<Added>>,
  ): Composition<Services & Added> {
    const extended = this.services.then(async (services) => {
      const added = this.#lifecycles.add(await compose(services));
      const taken = Object.keys(added).find((name) => name in services);
      if (taken !== undefined) throw new Error(`two features offer a service named ${taken}`);
      return { ...services, ...added };
    });
    return new Composition(extended, this.#lifecycles);
  }
}
