/** What one request carries. */
export interface Load {
  identities: number;
  /** Of those, the ones with a password in plain text: the store hashes each before it answers. */
  passwords: number;
}

/** How much the next request may carry, learned from how long the ones before it took. */
export interface ImportPace {
  readonly most: Readonly<Load>;
  answered(load: Load, milliseconds: number): void;
  /** The store did not answer in time. */
  tooMuch(load: Load): void;
}

/** Half of the time after which the service by default gives up waiting for the store. */
const AIM_MS = 2_500;
/** A repeated request costs little, and progress shows. */
const MOST = 100;
/** A store that hashes with care takes a quarter of a second for each, and some take a second. */
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
      // A request that was not full says nothing about larger ones.
      if (factor < 1 || load[what] >= most[what]) set(what, load[what] * factor);
    },
    tooMuch(load) {
      const what = decisive(load);
      set(what, load[what] / 2);
    },
  };
}

const decisive = ({ passwords }: Load): keyof Load => (passwords > 0 ? 'passwords' : 'identities');
