type Method = (...args: never[]) => unknown;
type MethodNames<T> = { [K in keyof T]: T[K] extends Method ? K : never }[keyof T];

/** Replaces a method of a class; `build` gets the true one, bound to the object at hand, and the object. */
export function replaceMethod<T extends object, K extends MethodNames<T>>(
  prototype: T,
  name: K,
  build: (original: T[K], self: T) => T[K],
): void {
  const original = prototype[name] as Method;
  function replaced(this: T, ...args: never[]): unknown {
    return (build(original.bind(this) as T[K], this) as Method)(...args);
  }
  prototype[name] = replaced as T[K];
}
