/** A form that was left for sign-in; it never contains a secret. */
export interface KeptDraft<Base, Draft> {
  /** The id of what is edited, or the kind of what is created. */
  of: string;
  /** The resource as read; null for a new one. */
  base: Base | null;
  draft: Draft;
}

interface Stored extends KeptDraft<unknown, unknown> {
  /** Whoever has typed it, by identity id. */
  operator: string | undefined;
}

/** Of every slot, also as earlier releases called them. */
const SLOT = /\.draft$/;
let operator: string | undefined;

/** The operator is signed in: what somebody else has typed in this tab is discarded. */
export function discardDraftsOfOthers(identityId: string): void {
  operator = identityId;
  for (const name of Object.keys(sessionStorage)) if (SLOT.test(name)) ownDraft(name);
}

/** @param name of the storage slot, which ends in `.draft`: one for each kind of form */
export const keepDraft = (name: string, kept: KeptDraft<unknown, unknown>): void =>
  sessionStorage.setItem(name, JSON.stringify({ ...kept, operator } satisfies Stored));

/**
 * The kept draft, if it belongs to this resource. Reading does not remove it, since a rendered form may not be shown
 * yet.
 */
export function keptDraft<Base, Draft>(name: string, of: string): KeptDraft<Base, Draft> | undefined {
  const kept = ownDraft(name);
  return kept?.of === of ? (kept as KeptDraft<Base, Draft>) : undefined;
}

/** Called once the form shows the draft. */
export const forgetDraft = (name: string): void => sessionStorage.removeItem(name);

function ownDraft(name: string): Stored | undefined {
  const stored = sessionStorage.getItem(name);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as Stored;
  if (kept.operator === operator) return kept;
  forgetDraft(name);
  return undefined;
}
