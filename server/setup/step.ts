/** What a step found. Texts hold no secret. */
export interface Found {
  /** `by hand`: only a person can do it. */
  state: 'ok' | 'to do' | 'by hand';
  text: string;
  /** What differs, or what a person has to do. */
  lines?: readonly string[];
  /**
   * Does it, or writes the files that `lines` name.
   * @returns lines to show once: they may hold a recovery link
   * @throws SetupFailed
   */
  apply?(): Promise<readonly string[] | undefined>;
}

/** One part of an installation. Looking at it changes nothing. */
export interface Step {
  title: string;
  /** @throws SetupFailed */
  look(): Promise<Found>;
}

/** The message says what failed and what to do, and holds no secret. */
export class SetupFailed extends Error {}
