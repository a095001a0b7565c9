/** The button by which a widget is moved, among all elements of the page. */
export const dragHandleId = (id: string): string => `drag-handle-${id}`;

export const dragHandleOf = (id: string): HTMLElement | null => document.getElementById(dragHandleId(id));

export const firstDragHandle = (): HTMLElement | null => document.querySelector<HTMLElement>('[id^="drag-handle-"]');
