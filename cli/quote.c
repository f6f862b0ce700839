#include "cli/quote.h"

#include <string.h>

void quote_xml(FILE *stream, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\n':
            fputs("&#10;", stream);
            break;
        default: /* the other control characters cannot stand in XML 1.0 */
            fputc((unsigned char)*text < ' ' && *text != '\t' ? '?' : *text, stream);
        }
}

void quote_csv(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++)
        fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', stream);
}

void quote_yaml(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++)
        fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', stream);
}

void quote_shell(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++)
        fprintf(stream, *text == '\'' ? "'\\''" : "%c", *text);
    fputc('\'', stream);
}

void quote_markdown(FILE *stream, const char *text)
{
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", stream);
        else if (*text == '<')
            fputs("&lt;", stream);
        else
            fputc(*text == '\n' ? ' ' : *text, stream);
}
