/** Consequences that tell, before an act, that there is no way back. */
export const NO_WAY_BACK = 'This cannot be undone.';
export const SESSIONS_STAY_ENDED = 'Sessions that are ended do not come back: this cannot be undone.';
export const CONSENTS_STAY_REVOKED = 'Consents that are revoked do not come back: only the person can give them again.';
