/** The button by which a widget is moved, among all elements of the page. */
export const gripId = (id: string): string => `grip-${id}`;

export const gripOf = (id: string): HTMLElement | null => document.getElementById(gripId(id));

export const firstGrip = (): HTMLElement | null => document.querySelector<HTMLElement>('[id^="grip-"]');
