/** The size of one request. */
export interface Load {
  identities: number;
  /** How many of them have a plaintext password: the store hashes each before it responds. */
  passwords: number;
}

/** How much the next request may carry, based on how long the previous ones took. */
export interface ImportPace {
  readonly most: Readonly<Load>;
  answered(load: Load, milliseconds: number): void;
  /** The store did not respond in time. */
  tooMuch(load: Load): void;
}

/** Half the service's default timeout for the store. */
const AIM_MS = 2_500;
/** Small enough that a repeated request is cheap and progress is visible. */
const MOST = 100;
/** A strong hash takes the store a quarter of a second, or even a whole one. */
const FIRST_PASSWORDS = 5;

export function importPace(): ImportPace {
  const most: Load = { identities: MOST, passwords: FIRST_PASSWORDS };
  const set = (what: keyof Load, count: number): void => {
    most[what] = Math.max(1, Math.min(MOST, Math.floor(count)));
  };
  return {
    most,
    answered(load, milliseconds) {
      const what = decisive(load);
      const factor = Math.min(2, AIM_MS / Math.max(1, milliseconds));
      // A request below the limit says nothing about larger ones.
      if (factor < 1 || load[what] >= most[what]) set(what, load[what] * factor);
    },
    tooMuch(load) {
      const what = decisive(load);
      set(what, load[what] / 2);
    },
  };
}

const decisive = ({ passwords }: Load): keyof Load => (passwords > 0 ? 'passwords' : 'identities');
