/** A body without one of these is plain text, whatever angle brackets stand in it. */
const MARKUP =
  /<(?:!doctype\s+html|\/?(?:html|head|body|table|tr|td|div|span|p|br|a|img|h[1-6]|ul|ol|li|b|strong|i|em|center|font|style)(?:\s[^<>]*)?\/?)>/i;

export const isHtml = (body: string): boolean => MARKUP.test(body);
