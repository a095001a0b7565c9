/** What a step found. Texts hold no secret. */
export type Found =
  /** Nothing to do. */
  | { state: 'done'; text: string }
  /** `apply` does it. @returns lines to show once: they may hold a recovery link */
  | { state: 'todo'; text: string; differences?: readonly string[]; apply(): Promise<readonly string[]> }
  /** Only a person can: `lines` say how, once `prepare` has written what they name. */
  | { state: 'by_hand'; text: string; lines: readonly string[]; prepare?: () => void };

/** One part of an installation. Looking at it changes nothing. */
export interface Step {
  title: string;
  /** @throws SetupFailed with a sentence for a person */
  look(): Promise<Found>;
}

/** The message says what failed and what to do, and holds no secret. */
export class SetupFailed extends Error {}
