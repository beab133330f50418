#pragma once

#include <string>
#include <vector>

// What the models that come with the program are tried on, per source language. {n} stands for a number, {y} for a
// year, {a} for an address, {c} for something to copy, {t} for a time of day and {p} for a name.
namespace dragoman::ready {

struct Sentences {
  std::vector<std::string> plain, numbers, addresses, copies, times, names, words;
};

inline const Sentences& english() {
  static const Sentences sentences = {
      .plain = {"Where is the station?", "I would like a cup of tea, please.", "The weather was bad all week.",
                "Nobody knew what had happened to the old bridge.", "She has been learning German for two years.",
                "If it rains tomorrow, we will stay at home.", "The government has promised to lower taxes.",
                "Can you tell me how to get to the airport?", "My brother works in a small hospital near the coast.",
                "The police are looking for two men who left the bank in a red car.",
                "We have to decide before the end of the month.", "This book is much better than the last one."},
      .numbers = {"The train leaves from platform {n}.", "In {y} the company had {n} employees.",
                  "The ticket costs {n} euros.", "There are {n} students in this school.",
                  "He was born in {y} and died in {y}.", "Room {n} is on the left.", "The team won {n} of {n} games.",
                  "About {n} people came to the meeting."},
      .addresses = {"You can find more information at {a}.", "Please write to {a} if you have any questions.",
                    "See {a} for details.", "Our new website is {a}", "{a} was not available yesterday."},
      .copies = {"Please use {c} for this.", "We have written down {c} for you.", "The new one is {c}."},
      .times = {"The train leaves at {t} p.m.", "The meeting begins at {t} and ends soon.", "It was {t} when we came."},
      .names = {"{p} is my neighbour.", "Yesterday I met {p} in the city.", "The book was written by {p}."},
      .words = {"house",   "Water",  "yes",       "no",       "Monday",     "thank you", "good morning",
                "help",    "school", "yesterday", "apple",    "government", "green",     "quickly",
                "Germany", "table",  "happy",     "to sleep", "friend",     "winter"}};
  return sentences;
}

inline const Sentences& german() {
  static const Sentences sentences = {
      .plain = {"Wo ist der Bahnhof?", "Ich hätte gern eine Tasse Tee, bitte.",
                "Das Wetter war die ganze Woche schlecht.", "Niemand wusste, was mit der alten Brücke geschehen war.",
                "Sie lernt seit zwei Jahren Deutsch.", "Wenn es morgen regnet, bleiben wir zu Hause.",
                "Die Regierung hat versprochen, die Steuern zu senken.",
                "Können Sie mir sagen, wie ich zum Flughafen komme?",
                "Mein Bruder arbeitet in einem kleinen Krankenhaus an der Küste.",
                "Die Polizei sucht zwei Männer, die die Bank in einem roten Auto verlassen haben.",
                "Wir müssen uns vor dem Ende des Monats entscheiden.", "Dieses Buch ist viel besser als das letzte."},
      .numbers = {"Der Zug fährt von Gleis {n} ab.", "Im Jahr {y} hatte die Firma {n} Mitarbeiter.",
                  "Die Karte kostet {n} Euro.", "In dieser Schule sind {n} Schüler.",
                  "Er wurde {y} geboren und starb {y}.", "Zimmer {n} ist auf der linken Seite.",
                  "Die Mannschaft gewann {n} von {n} Spielen.", "Etwa {n} Menschen kamen zu der Versammlung."},
      .addresses = {"Weitere Informationen finden Sie unter {a}.", "Bei Fragen schreiben Sie bitte an {a}.",
                    "Einzelheiten unter {a}.", "Unsere neue Seite ist {a}", "{a} war gestern nicht erreichbar."},
      .copies = {"Bitte nehmen Sie dafür {c}.", "Wir haben Ihnen {c} aufgeschrieben.", "Das neue ist {c}."},
      .times = {"Der Zug fährt um {t} Uhr ab.", "Die Sitzung beginnt um {t} und endet bald.",
                "Es war {t} Uhr, als wir kamen."},
      .names = {"{p} ist mein Nachbar.", "Gestern habe ich {p} in der Stadt getroffen.",
                "Das Buch wurde von {p} geschrieben."},
      .words = {"Haus",        "Wasser", "ja",        "nein",     "Montag",    "danke", "guten Morgen",
                "Hilfe",       "Schule", "gestern",   "Apfel",    "Regierung", "grün",  "schnell",
                "Deutschland", "Tisch",  "glücklich", "schlafen", "Freund",    "Winter"}};
  return sentences;
}

inline const std::vector<std::string> kAddresses = {"https://www.example.com/news/2021/05/article-1234.html",
                                                    "http://example.org",
                                                    "www.example.net/about",
                                                    "info@example.com",
                                                    "anna.kowalski@mail.example.org",
                                                    "jörg.müller@straße.example.de",
                                                    "https://example.de/suche?q=haus&page=2",
                                                    "https://example.org/releases/file.tar.gz",
                                                    "ftp://files.example.com/pub",
                                                    "http://localhost:8080/admin",
                                                    "https://example.org/manual#install",
                                                    "http://192.168.0.17/status",
                                                    "support+ticket42@example.co.uk"};
// Telephone numbers, IP addresses, ISBNs and versions.
inline const std::vector<std::string> kCopies = {"+49 30 1234567", "202-555-0143",  "0171 2345678",
                                                 "192.168.17.254", "10.0.0.1:8080", "978-3-16-148410-0",
                                                 "1.2.3",          "2.6.32"};
// Placeholders, a tag and a reference.
inline const std::vector<std::string> kPlaceholders = {"{name}", "{order_id}", "{{count}}", "${user}",    "%s",
                                                       "%d",     "<br>",       "[1]",       "{{ city }}", "$city",
                                                       ":count", "%1$s",       "<0>"};
// What may be before and after a text.
inline const std::vector<std::pair<std::string, std::string>> kMarkup = {{"# ", ""},   {"## ", ""},  {"* ", ""},
                                                                         {"- ", ""},   {"> ", ""},   {"[ ] ", ""},
                                                                         {"| ", " |"}, {"**", "**"}, {"<b>", "</b>"}};
// Hours and minutes, which may be rewritten: 3:35 p.m. is 15.35 Uhr.
inline const std::vector<std::pair<std::string, std::string>> kTimes = {{"3", "35"}, {"9", "05"}, {"11", "50"}};
inline const std::vector<std::string> kNames = {"Anna Kowalski",   "Mr. Thompson", "Ahmed Hassan",
                                                "Maria Fernandez", "John",         "Yuki Tanaka"};

}  // namespace dragoman::ready
