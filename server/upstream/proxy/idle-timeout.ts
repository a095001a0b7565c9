/** An idle timeout: fires if nothing moves for the whole time; paused while the client is the slow party. */
export interface IdleTimeout {
  /** Restarts the timeout: data has moved. */
  touch(): void;
  /** Pauses the timeout: the client is not reading at the moment. */
  hold(): void;
  stop(): void;
  /** Fires now: a party is too slow, though not idle. */
  expire(): void;
  /** Replaces the handler. */
  onSilence(expired: () => void): void;
}

/** @param milliseconds of idle time after which `expired` is called, once */
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
