/** A note on a person. */
export interface Note {
  id: string;
  /** The operator's identity id. */
  author: string;
  /** Plain text with line breaks. */
  text: string;
  created_at: string;
  /** Equals `created_at` until it is changed. */
  updated_at: string;
}

/** `GET /api/identities/:id/notes`, newest first. */
export interface Notes {
  notes: Note[];
}

/** Characters are Unicode code points. */
export const NOTE_MAX_CHARACTERS = 2_000;
/** Of one person. */
export const NOTES_MAX = 50;
