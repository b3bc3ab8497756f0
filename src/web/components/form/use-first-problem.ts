import { type RefObject, useEffect } from 'react';

/** Shows and focuses the first field that is wrong, wherever it is in the form, each time that something else is wrong. */
export function useFirstProblem(form: RefObject<HTMLFormElement | null>, ...found: readonly unknown[]): void {
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    const section = field?.closest('details');
    if (section) section.open = true;
    field?.focus();
  }, [form, ...found]);
}
