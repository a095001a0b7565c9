/** In the order in which a message goes through them. */
export const MESSAGE_STATUSES = ['queued', 'processing', 'sent', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
