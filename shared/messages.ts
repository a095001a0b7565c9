/** In the order in which a message passes through them. */
export const MESSAGE_STATUSES = ['queued', 'processing', 'sent', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The newest messages in which `template`, `from` and `to` search. */
export const NEWEST_MESSAGES = 500;

/** A message to a person: exactly these members, never subject and body, which contain codes. */
export interface ListedMessage {
  id: string;
  /** A `MessageStatus`, or that of a later Kratos. */
  status: string;
  type: string;
  recipient: string;
  template_type: string;
  send_count: number;
  created_at: string;
  updated_at: string;
  /** Whose address it is, null if unknown. Absent if the request names a recipient. */
  identity?: { id: string; name: string | null } | null;
}

/** `GET /api/messages`, newest first. */
export interface MessagePage {
  messages: ListedMessage[];
  next_page_token: string | null;
  has_more: boolean;
  /** How many match `template`, `from` and `to`; absent without these. */
  total?: number;
  /** There are older messages, which `template`, `from` and `to` did not search; `since` is the oldest that they did. */
  newest?: { messages: number; since: string };
}
