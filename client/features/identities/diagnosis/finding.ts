import type { LockedAccount } from '../../../../shared/security.ts';
import type { VerifiableAddress } from '../../../api/identities-record.ts';

/** The most serious first: it stops a sign-in, may stop one, is worth knowing. */
export const HOW_SERIOUS = ['blocks', 'may-block', 'note'] as const;
export type Weight = (typeof HOW_SERIOUS)[number];

/** A part of a sentence: text as it is, a time, an operator's id, why an account was locked. */
export type Piece = string | { at: string } | { actor: string } | { lock: LockedAccount };

/** Where an operator can do something about it. */
export type Help =
  | { act: 'activate' | 'recovery' | 'credentials' | 'edit' | 'connections' }
  | { act: 'unlock'; account: LockedAccount }
  | { act: 'verify'; address: VerifiableAddress }
  | { act: 'message'; id: string };

/** A reason why somebody may not get in, or what is worth knowing when they do not. */
export interface Finding {
  /** Unique in a diagnosis. */
  id: string;
  weight: Weight;
  title: string;
  /** When it began; a later sign-in shows that it stops none. Undefined if that is not known. */
  since?: string | undefined;
  /** How the platform knows: one sentence or two. */
  evidence: readonly Piece[];
  help?: Help;
}
