// Some functions of simdutf's C interface, one character at a time, for tests of what calls them.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int error;
  size_t count;
} result;

// Bytes of the character at `text`, which it stores; 0 where it is ill-formed.
static size_t character(const unsigned char *text, size_t left, uint32_t *scalar) {
  size_t length = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : text[0] < 0xF5 ? 4 : 0;
  if (!length || length > left) return 0;
  *scalar = length == 1 ? text[0] : text[0] & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xC0) != 0x80) return 0;
    *scalar = *scalar << 6 | (text[i] & 0x3F);
  }
  if (length == 3 && (*scalar < 0x800 || (*scalar >= 0xD800 && *scalar < 0xE000))) return 0;
  if (length == 4 && (*scalar < 0x10000 || *scalar > 0x10FFFF)) return 0;
  return length;
}

static result convert(const char *given, size_t size, void *output, int unit) {
  const unsigned char *text = (const unsigned char *)given;
  size_t made = 0, length;
  for (size_t at = 0; at < size; at += length) {
    uint32_t scalar;
    length = character(text + at, size - at, &scalar);
    if (!length) return (result){1, at};
    if (unit == 2 && scalar > 0xFFFF) {
      ((uint16_t *)output)[made++] = 0xD7C0 + (scalar >> 10);
      scalar = 0xDC00 | (scalar & 0x3FF);
    }
    if (unit == 2) ((uint16_t *)output)[made] = scalar;
    if (unit == 4) ((uint32_t *)output)[made] = scalar;
    made++;
  }
  return (result){0, made};
}

bool simdutf_validate_utf8(const char *text, size_t size) { return !convert(text, size, 0, 0).error; }
result simdutf_validate_utf8_with_errors(const char *text, size_t size) { return convert(text, size, 0, 0); }
result simdutf_convert_utf8_to_utf32_with_errors(const char *text, size_t size, void *output) {
  return convert(text, size, output, 4);
}
result simdutf_convert_utf8_to_utf16le_with_errors(const char *text, size_t size, void *output) {
  return convert(text, size, output, 2);
}
size_t simdutf_count_utf8(const char *text, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += (text[i] & 0xC0) != 0x80;
  return count;
}
size_t simdutf_utf16_length_from_utf8(const char *text, size_t size) {
  size_t count = simdutf_count_utf8(text, size);
  for (size_t i = 0; i < size; i++) count += (unsigned char)text[i] >= 0xF0;
  return count;
}
