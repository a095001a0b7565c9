/** Runs out when nothing moved for the whole time; does not run while the caller is the slow one. */
export interface IdleTimeout {
  /** Something moved. */
  touch(): void;
  /** We do not wait to read: the caller takes no more for the moment. */
  hold(): void;
  stop(): void;
  /** The time is up: somebody is too slow, though not silent. */
  expire(): void;
  /** What happens when the time runs out, from now on. */
  onSilence(expired: () => void): void;
}

/** @param milliseconds of silence after which `expired` is called, once */
export function idleTimeout(milliseconds: number, expired: () => void): IdleTimeout {
  let held = false;
  let act = expired;
  const timer = setTimeout(() => {
    if (held) timer.refresh();
    else act();
  }, milliseconds);
  return {
    touch() {
      held = false;
      timer.refresh();
    },
    hold() {
      held = true;
    },
    stop: () => clearTimeout(timer),
    expire() {
      clearTimeout(timer);
      act();
    },
    onSilence(next) {
      act = next;
    },
  };
}
