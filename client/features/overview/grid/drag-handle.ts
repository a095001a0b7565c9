/** Element id of a widget's drag handle. */
export const dragHandleId = (id: string): string => `drag-handle-${id}`;

export const dragHandleOf = (id: string): HTMLElement | null => document.getElementById(dragHandleId(id));

export const firstDragHandle = (): HTMLElement | null => document.querySelector<HTMLElement>('[id^="drag-handle-"]');
