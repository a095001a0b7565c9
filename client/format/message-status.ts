/** What becomes of a message, in the order in which it happens. */
export const MESSAGE_STATUSES = ['queued', 'processing', 'sent', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
