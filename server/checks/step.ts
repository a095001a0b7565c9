/** What a step found. Its texts contain no secrets. */
export interface Found {
  /** `by hand`: a person has to do it. */
  state: 'ok' | 'to do' | 'by hand';
  text: string;
  /** What differs, or what a person has to do. */
  lines?: readonly string[];
  /**
   * Runs the step, or writes the files that `lines` mention.
   * @returns lines to show once: they may contain a recovery link
   * @throws SetupFailed
   */
  apply?(): Promise<readonly string[] | undefined>;
}

/** One part of an installation. `look` changes nothing. */
export interface Step {
  title: string;
  /** @throws SetupFailed */
  look(): Promise<Found>;
}

/** The message says what failed and what to do, and contains no secrets. */
export class SetupFailed extends Error {}
