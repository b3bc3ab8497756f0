import { useState } from 'react';

/** Whether a part of the screen takes letters as text, so that they are no keys of the rest of the screen. */
export interface Typing {
  isOn: () => boolean;
  set: (isOn: boolean) => void;
}

export const useTyping = (): Typing => useState(createTyping)[0];

/** A key that ends the typing is still a part of it: the rest of the screen gets only the keys after that one. */
export function createTyping(): Typing {
  let present = false;
  return {
    isOn: () => present,
    set: (isOn) => {
      if (isOn) present = true;
      else queueMicrotask(() => (present = false));
    },
  };
}
